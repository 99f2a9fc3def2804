#!/usr/bin/env python3
"""Runs the examples on oneTBB and on bough in turns and says what that shows.

loops is compiled for each and timed; the answers must agree. one_cpu and forks are compiled against oneTBB alone: the same
binary runs on both libraries, and on oneTBB it may never end. A picture is drawn in the terminal, and as demo.png where
matplotlib is installed. Called by ./dev demo, which puts loops-onetbb, loops-bough, one_cpu and forks into --bin.
"""
import argparse
import math
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "benchmarks"))
from runner.intervals import median_interval  # noqa: E402  (the path comes first)
from runner.others import Others, warning  # noqa: E402

ENGINES = ["onetbb", "bough"]
TURNS = 9
TOLERANCE = 1e-6  # sums of doubles, added in another order
PATIENCE_S = 5  # what ends at all ends within milliseconds
BAR = 30  # columns of the longest one
# name, what it shows, on one CPU alone, its answer
PROGRAMS = [("one_cpu", "a task that another thread waits for, on one CPU", True, 42),
            ("forks", "20 process forks under load, children that enqueue", False, 20)]


def parse(output):
    """{case: (checksum, ns)} as loops prints them."""
    cases, name, checksum = {}, None, None
    for line in output.splitlines():
        key, _, value = line.partition(" ")
        if key == "case":
            name = value
        elif key == "checksum":
            checksum = float(value)
        elif key == "time_ns":
            cases[name] = (checksum, float(value))
    return cases


def run_loops(binary):
    result = subprocess.run([binary], capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        sys.exit(f"{binary} failed ({result.returncode}): {result.stderr}")
    return parse(result.stdout)


def measure(binaries):
    """{case: {engine: [ns]}}; the engines take turns, since machines drift."""
    times = {}
    begin, end = ("\r", "") if sys.stderr.isatty() else ("", "\n")
    for turn in range(TURNS):
        print(f"{begin}== turn {turn + 1} of {TURNS}", end=end, file=sys.stderr, flush=True)
        answers = {e: run_loops(binaries / f"loops-{e}") for e in ENGINES}
        for case, (expected, _) in answers["onetbb"].items():
            checksum = answers["bough"][case][0]
            if not math.isclose(checksum, expected, rel_tol=TOLERANCE):
                sys.exit(f"{case}: the answers differ: {expected} on oneTBB, {checksum} on bough")
            for engine in ENGINES:
                times.setdefault(case, {e: [] for e in ENGINES})[engine].append(answers[engine][case][1])
    print(end="" if end else "\n", file=sys.stderr)
    return times


def run_to_its_end(program, library, on_one_cpu, expected):
    """"right"; "hangs" when it had to be stopped; else what went wrong."""
    first = min(os.sched_getaffinity(0))
    process = subprocess.Popen([program], env={**os.environ, "LD_LIBRARY_PATH": str(library)}, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True,
                               preexec_fn=(lambda: os.sched_setaffinity(0, {first})) if on_one_cpu else None)
    try:
        out, _ = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return "hangs"
    if process.returncode != 0:
        return f"ends with status {process.returncode}"
    return "right" if out.strip() == f"checksum {expected}" else f"wrong: {out.strip()}"


def time_text(ns):
    unit, factor = next((u, f) for u, f in (("ns", 1), ("us", 1e3), ("ms", 1e6)) if ns < 1000 * f or u == "ms")
    return f"{ns / factor:.3g} {unit}"


def speed_ups(times):
    """{case: oneTBB's time by bough's, with its interval}"""
    return {case: median_interval(a / b for a, b in zip(t["onetbb"], t["bough"])) for case, t in times.items()}


def times_of(ratio, case_times):
    """oneTBB's time and bough's in the turn that has the median ratio: the medians of each have another quotient."""
    return min(zip(*(case_times[e] for e in ENGINES)), key=lambda turn: abs(turn[0] / turn[1] - ratio))


def table(times, ups):
    """Bars: the speed-up, on a logarithmic scale."""
    longest = max(math.log(max(up["ratio"], 1.01)) for up in ups.values())
    print(f"\n{'':<28}{'oneTBB':>9}{'bough':>10}   oneTBB / bough")
    for case, up in ups.items():
        onetbb, bough = map(time_text, times_of(up["ratio"], times[case]))
        bar = "#" * round(BAR * math.log(max(up["ratio"], 1.0)) / longest)
        print(f"{case:<28}{onetbb:>9}{bough:>10}   {up['ratio']:.2f} ({up['low']:.2f} to {up['high']:.2f})".ljust(76) + bar)
    coverage = min(up["coverage"] for up in ups.values())
    print(f"One call, in the turn of {TURNS} that has the median ratio; the true one lies within the brackets with "
          f"{100 * coverage:.0f} %.")


def endings_table(endings):
    print(f"\n{'one binary, as it is':<54}{'oneTBB':>12}{'bough':>12}")
    for (_, what, _, _), (onetbb, bough) in zip(PROGRAMS, endings):
        print(f"{what:<54}{onetbb:>12}{bough:>12}")
    print(f"hangs: it was stopped after {PATIENCE_S} s.")


def closing_line(ups, endings, busy):
    """What is shown, or the warning that nothing is."""
    if busy:
        return busy
    faster = sum(up["low"] > 1 for up in ups.values())
    saved = sum(onetbb != "right" and bough == "right" for onetbb, bough in endings)
    median = statistics.median(up["ratio"] for up in ups.values())
    return (f"Shown: bough is faster for certain in {faster} of {len(ups)} cases, {median:.1f} times in the median one; "
            f"{saved} of {len(endings)} programs that oneTBB does not finish end on bough with the right answer.")


def plot(ups, path):
    """None where matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7, 3))
    axes.barh(list(ups), [up["ratio"] for up in ups.values()], color="#2a7f4f")
    axes.axvline(1, color="#8899aa")
    axes.set_xscale("log")
    axes.set_xlabel("oneTBB's time / bough's")
    axes.invert_yaxis()
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--onetbb", type=pathlib.Path, required=True, help="the folder of oneTBB's libtbb.so.12")
    parser.add_argument("--bough", type=pathlib.Path, required=True, help="the folder of bough's libtbb.so.12")
    options = parser.parse_args()
    others = Others()
    times = measure(options.bin)
    busy = warning(others.cpus(), len(os.sched_getaffinity(0)))
    endings = [[run_to_its_end(options.bin / name, library, on_one_cpu, expected)
                for library in (options.onetbb, options.bough)] for name, _, on_one_cpu, expected in PROGRAMS]
    ups = speed_ups(times)
    table(times, ups)
    endings_table(endings)
    picture = plot(ups, options.out / "demo.png")
    print(f"\npicture: {picture}" if picture else "")
    print(closing_line(ups, endings, busy))
    if any(bough != "right" for _, bough in endings):
        sys.exit(1)


if __name__ == "__main__":
    main()
