"""Figure 4.6 of the low-latency paper: cache misses by queue, with mailing, and with and without morsels."""

import re
import shutil
import statistics
import subprocess

from .. import measure as runs
from ..variants import BY_QUEUE
from . import draw, turns
from .part import Part, wanted

NAME = "cache"
QUEUES = [BY_QUEUE + queue for queue in ("chase-lev", "abp", "split", "split-signal", "mutex")]
RUNTIMES = QUEUES + ["bough", "bough_even", "bough_even_9_16", "bough_uneven"]
FORKS = ["fib", "cilksort", "matmul_recursive", "strassen"]
LOOPS = ["elements", "morsels"]
EVENTS = ["L1-dcache-loads", "L1-dcache-load-misses", "cache-references", "cache-misses"]
CACHEGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--fair-sched=try", "--cachegrind-out-file=/dev/null"]
FEW, MANY = 2, 6  # runs: what a process does besides is in both
REPEATS = 3
SAME = 0.02  # less than this much more or fewer is no difference


def measure(o):
    part = Part(NAME, "Cache misses", "low-latency, figure 4.6")
    cases = wanted(o, NAME, FORKS + LOOPS)
    if not cases:
        return None
    tool = choose_tool(part)
    if not tool:
        part.claim("4.6", "misses by queue, by mailing, by morsels", "-", "not measured: neither perf's counters nor valgrind")
        return part
    runtimes = turns.known_variants(o, part, RUNTIMES)
    rates = {}
    for case in cases:
        for runtime in runtimes if case in FORKS else ["bough", "tbb"]:
            found = misses(o, part, tool, case, runtime)
            if found:
                rates.setdefault(runtime, {})[case] = found
    tables(part, cases, rates)
    part.data = {"tool": tool, "rates": rates}
    bars(o, part, cases, rates)
    claims(part, rates)
    return part


def choose_tool(part):
    """perf where the machine has its counters, else cachegrind, else None. The part says which."""
    if has_counters():
        part.say("Counted by `perf stat`: " + ", ".join(EVENTS) + ". Misses of a case are those of "
                 f"{MANY} runs less those of {FEW}, by runs; medians of {REPEATS}.")
        return "perf"
    if shutil.which("valgrind"):
        part.say("This machine has no hardware counters for caches, so **valgrind's cachegrind simulated them**, on reduced "
                 "sizes. It simulates one first-level and one last-level cache, and runs one thread at a time: what the threads "
                 "take from one another's caches, and false sharing, are not in these numbers. Loads and stores are counted "
                 f"together. Misses of a case are those of {MANY} runs less those of {FEW}.")
        return "cachegrind"
    part.say("This machine has neither hardware counters for caches nor valgrind: nothing was measured.")
    return None


def has_counters():
    if not shutil.which("perf"):
        return False
    done = subprocess.run(["perf", "stat", "-x,", "-e", ",".join(EVENTS), "true"], capture_output=True, text=True)
    counted = [line for line in done.stderr.splitlines() if re.match(r"[0-9]", line)]
    return done.returncode == 0 and len(counted) == len(EVENTS)


def misses(o, part, tool, case, runtime):
    """Per run: {"refs", "l1", "llrefs", "ll"}; None when a run went wrong."""
    try:
        found = []
        for _ in range(REPEATS if tool == "perf" else 1):
            few, many = (counts(o, tool, case, runtime, n) for n in (FEW, MANY))
            found.append([(b - a) / (MANY - FEW) for a, b in zip(few, many)])
    except runs.Failure as failure:
        part.trouble(f"{case}, {runtime}: {failure}")
        return None
    refs, l1, ll_refs, ll = (statistics.median(column) for column in zip(*found))
    return {"refs": refs, "l1": l1, "ll_refs": ll_refs, "ll": ll, "l1_rate": share(l1, refs), "ll_rate": share(ll, ll_refs)}


def share(part, whole):
    return max(0.0, part) / whole if whole > 0 else None


def counts(o, tool, case, runtime, n):
    """[references, first-level misses, last-level references, last-level misses] of a process."""
    program = "cache_tbb" if runtime == "tbb" else "cache_bough"
    launcher = CACHEGRIND if tool == "cachegrind" else ["perf", "stat", "-x,", "-e", ",".join(EVENTS)]
    size = "large" if tool == "perf" else "small"
    _, text = turns.printed(o, program, [size, case, n], runtime, 300, launcher)
    if tool == "perf":
        return [int(line.split(",")[0]) for line in text.splitlines() if re.match(r"[0-9]", line)]
    found = [re.search(name + r":\s+([0-9,]+)", text) for name in ("D   refs", "D1  misses", "LLd misses")]
    if None in found:
        raise runs.Failure(f"cachegrind's output was not understood: {runs.last_line(text)}")
    refs, l1, ll = (int(match[1].replace(",", "")) for match in found)
    return [refs, l1, l1, ll]


def tables(part, cases, rates):
    def cell(found):
        if not found:
            return "-"
        return f"{found['l1'] / 1000:.4g} k, {percent(found['l1_rate'])}; {found['ll'] / 1000:.3g} k"

    part.say("First-level misses of a run, in thousands and by accesses; then last-level misses, in thousands.")
    for group in (FORKS, LOOPS):
        shown = [case for case in cases if case in group]
        part.table(["", *shown], [[runtime, *(cell(found.get(case)) for case in shown)] for runtime, found in rates.items()
                                  if any(case in found for case in shown)])
    if any(case in LOOPS for case in cases):
        part.say("elements: a loop over all elements of a matrix product; morsels: the same loop in morsels of 4 KiB.")


def percent(rate):
    return "-" if rate is None else f"{100 * rate:.2f} %"


def total(rates, runtime, key, cases=FORKS):
    rows = [rates.get(runtime, {}).get(case) for case in cases]
    return sum(row[key] for row in rows) if rows and None not in rows else None


def bars(o, part, cases, rates):
    shown = [case for case in cases if any(case in found for found in rates.values())]
    heights = {r: [100 * found[c]["l1_rate"] if found.get(c) and found[c]["l1_rate"] is not None else None for c in shown]
               for r, found in rates.items()}
    part.plot(draw.grouped_bars(o.out, "cache.png", shown, heights, "first-level misses, % of accesses"),
              "Cache misses as in figure 4.6")


def claims(part, rates):
    sums = {r: total(rates, r, "l1") for r in RUNTIMES}
    base = sums.get(BY_QUEUE + "chase-lev")
    if base:
        text = ", ".join(f"{r.removeprefix(BY_QUEUE)} {sums[r] / base:.3f}" for r in RUNTIMES if sums.get(r) is not None)
        private = sums.get(BY_QUEUE + "split")
        part.claim("4.6", "private (split) queues have the fewest first-level misses (1.67 % against 6.43 % ABP, 7.18 % Chase-Lev)",
                   f"misses over all fork-join cases, Chase-Lev 1: {text}",
                   compared(private, base))
        part.claim("4.6", "with mailing 3.75 %: fewer first-level misses than ABP and Chase-Lev", f"hybrid {ratio(sums['bough'], base)}",
                   compared(sums["bough"], base))
    for runtime in ("tbb", "bough"):
        found = rates.get(runtime, {})
        off, on = (found.get(case, {}).get("l1") for case in LOOPS)
        if off and on:
            part.claim("4.3.1", f"morsels lower the misses of {'oneTBB' if runtime == 'tbb' else 'the hybrid'}",
                       f"first-level misses with morsels / without: {on / off:.3f}",
                       compared(on, off))


def compared(a, b):
    """Whether a is less than b."""
    if a is None:
        return "not measured"
    return "holds" if a < (1 - SAME) * b else "no difference" if a < (1 + SAME) * b else "does not hold"


def ratio(a, b):
    return "-" if a is None or not b else f"{a / b:.3f}"
