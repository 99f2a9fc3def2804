"""Runs the binaries: rounds in which the runtimes take turns, the start latency between runs of `raw`, first calls, and
further processes for the stability."""

import json
import os
import re
import statistics
import subprocess
import time

from . import profile, variants
from .options import ON_BOUGH, binary, last_line, stop
from .others import Others
from .summary import LOOPS

REPETITIONS = 3
BUSY_RAW_NS = 5000  # a hand-written hand-off that takes this long waited for a CPU
MODE_CHANGE = 1.5  # a raw run this much slower or faster than the one before: the cores' distance changed
FIRST_CALL_PROCESSES = 20
# What one process takes for a case, and for a start: seconds on an EPYC with 2 CPUs.
CASE_S, FULL_LOOP_S, FULL_FORK_S, START_S = 0.03, 0.14, 1.2, 0.3
TO_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


class Failure(Exception):
    """A binary ended badly; its message."""


def environment(o, runtime):
    return dict(os.environ, BENCH_THREADS=str(o.threads), **profile.environment(o),
                **variants.environment(runtime, o.build))


def call(o, runtime, arguments, limit_s):
    launcher = [str(o.release / "bin/bough-run")] if runtime.endswith(ON_BOUGH) else []
    sizes = ["--full"] if o.full else ["--break-even"] if o.break_even else []
    sizes += ["--papers"] if o.papers else []
    command = launcher + [str(binary(o, runtime)), "--matrix", str(o.matrix), "--text", str(o.text)] + sizes + arguments
    try:
        done = subprocess.run(command, env=environment(o, runtime), capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise Failure(f"{runtime} did not end within {limit_s} s")
    if done.returncode == 2:
        stop(last_line(done.stderr))
    if done.returncode < 0 or not done.stdout.strip():
        raise Failure(f"{runtime} ended with {done.returncode}: {last_line(done.stderr)}")
    return done.stdout


def list_cases(o, runtime):
    names = call(o, runtime, ["--benchmark_list_tests=true"], 300).split()
    return [bare(name) for name in names]


def bare(name):
    return re.sub(r"(/repeats:1|/iterations:1)?/(real_time|manual_time)$", "", name)


def run_cases(o, runtime, cases, min_time_s):
    """{case: [ns of each repetition]}, {case: error}, context."""
    entries, errors, context = run_entries(o, runtime, cases, min_time_s, REPETITIONS)
    times = {}
    for case, entry in entries:
        times.setdefault(case, []).append(entry.get("p50_ns", time_ns(entry)))
    return times, errors, context


def time_ns(entry):
    return entry["real_time"] * TO_NS[entry["time_unit"]]


def run_entries(o, runtime, cases, min_time_s, repetitions):
    """[(case, what Google Benchmark says of one repetition)], {case: error}, context."""
    exact = "|".join(case.replace(".", "[.]") for case in cases)
    limit_s = 120 + len(cases) * (600 if o.full else 60)
    text = call(o, runtime, [f"--benchmark_filter=^({exact})(/repeats:1|/iterations:1)?/(real_time|manual_time)$",
                             "--benchmark_format=json", f"--benchmark_min_time={min_time_s}",
                             f"--benchmark_repetitions={repetitions}"], limit_s)
    report = json.loads(text)
    entries, errors = [], {}
    for entry in report["benchmarks"]:
        if entry.get("run_type") != "iteration":
            continue
        case = bare(entry["run_name"])
        if entry.get("error_occurred"):
            errors[case] = entry["error_message"]
        else:
            entries.append((case, entry))
    return entries, errors, report["context"]


def estimate_s(o, plan):
    """How long rounds() will take, roughly."""
    cases = sum(case_s(o, case) for offered in plan.offered.values() for case in offered)
    starts = 4 * len(o.pairs) if plan.start else 0
    first = FIRST_CALL_PROCESSES * sum(len(cases) for cases in plan.first_of.values())
    of_rounds = o.rounds * (cases + starts * START_S)
    return (min(of_rounds, o.budget_s) if o.budget_s else of_rounds) + first * CASE_S


def case_s(o, case):
    if not o.full:
        return CASE_S
    return FULL_LOOP_S if case.split("/")[0] in LOOPS else FULL_FORK_S


def rounds(o, plan, results):
    """Each round runs every runtime once, then the start latency; the next round begins with another runtime.
    Without --rounds the quick suite ends early when its time is up."""
    begin = time.monotonic()
    others = Others()
    first_calls(o, plan, results)
    cases, start = results.cases, plan.start
    for number in range(1, o.rounds + 1):
        shift = (number * 3) % len(o.runtimes)
        if cases:
            for runtime in o.runtimes[shift:] + o.runtimes[:shift]:
                measured = one_runtime(o, runtime, plan.offered[runtime], results)
                for case in cases:
                    results.times[case][runtime].append(measured.get(case, []))
        if start:
            latency(o, start, number, results)
        spent = time.monotonic() - begin
        kept = sum(trial["kept"] for trial in results.latency)
        print(f"round {number} of {o.rounds}: {len(o.runtimes)} runtimes, {len(cases)} cases"
              + (f", {kept} of {len(results.latency)} start latency pairs kept" if start else "")
              + f"; {spent:.0f} s so far, about {left_s(o, number, spent):.0f} s to go", flush=True)
        results.settings["rounds"] = number
        results.settings["others_cpus"] = others.cpus()
        if o.budget_s and number % 2 == 0 and spent / number * (number + 2) > o.budget_s:
            print(f"{number} rounds have to do: this machine is slow or busy (--rounds N takes as long as it takes)")
            break
    more_processes(o, plan, results)


def left_s(o, number, spent):
    left = spent / number * (o.rounds - number)
    return max(0, min(left, o.budget_s - spent)) if o.budget_s else left


def one_runtime(o, runtime, cases, results):
    """{case: [ns of each repetition]} of one new process."""
    if runtime in results.failed or not cases:
        return {}
    try:
        measured, errors, context = run_cases(o, runtime, cases, 0.02 if o.full else 0.003)
    except Failure as failure:
        results.add_failure(runtime, str(failure))
        return {}
    results.add_errors(runtime, errors)
    results.add_context(runtime, context)
    return measured


def more_processes(o, plan, results):
    """Rounds are new processes already; where there were fewer than asked for, bough and its serial reference run again."""
    for _ in range(results.settings["rounds"], o.processes):
        for runtime in results.stable_runtimes():
            measured = one_runtime(o, runtime, plan.offered[runtime], results)
            for case in results.cases:
                results.more[case].setdefault(runtime, []).append(measured.get(case, []))
        if plan.start and "bough" not in results.failed:
            try:
                results.more_starts.append(start_of(o, "bough", plan.start, results))
            except Failure as failure:
                results.add_failure("bough", str(failure))


def first_calls(o, plan, results):
    """The first, second and hundredth loop of processes that run nothing else; the runtimes take turns."""
    for number in range(FIRST_CALL_PROCESSES if plan.first else 0):
        shift = number % len(o.runtimes)
        for runtime in o.runtimes[shift:] + o.runtimes[:shift]:
            for case in plan.first_of[runtime]:
                first_call(o, runtime, case, results)


def first_call(o, runtime, case, results):
    if runtime in results.failed:
        return
    try:
        entries, errors, context = run_entries(o, runtime, [case], 0.003, 1)
    except Failure as failure:
        results.add_failure(runtime, str(failure))
        return
    results.add_errors(runtime, errors)
    results.add_context(runtime, context)
    calls = results.first_calls[case].setdefault(runtime, {"first": [], "second": [], "hundredth": []})
    for _, entry in entries:
        calls["first"].append(time_ns(entry))
        calls["second"].append(entry["second_ns"])
        calls["hundredth"].append(entry["hundredth_ns"])


def latency(o, case, number, results):
    """bough and one peer at a time, with raw before and after; a pair during which raw changed is marked."""
    for bough, peer in o.pairs:
        pair = [bough, peer] if number % 2 else [peer, bough]
        try:
            before = start_of(o, "raw", case, results)["ns"]
            times = {runtime: start_of(o, runtime, case, results) for runtime in pair}
            after = start_of(o, "raw", case, results)["ns"]
        except Failure as failure:
            results.add_failure(peer, str(failure))
            continue
        changed = max(before, after) > MODE_CHANGE * min(before, after)
        busy = not o.crowded and max(before, after) > BUSY_RAW_NS
        results.latency.append({"round": number, "peer": peer, "raw_before": before, "raw_after": after,
                                "bough": times[bough]["ns"], "bough_raw": times[bough]["raw_ns"],
                                "peer_ns": times[peer]["ns"], "kept": not changed and not busy})


def start_of(o, runtime, case, results):
    """Of one new process: ns, and raw_ns, the limit that it measured itself (0 with more threads than CPUs)."""
    entries, errors, context = run_entries(o, runtime, [case], 0.003, REPETITIONS)
    results.add_errors(runtime, errors)
    results.add_context(runtime, context)
    if not entries:
        raise Failure(f"{runtime}: no time for {case}: {errors.get(case, 'not run')}")
    return {"ns": statistics.median(entry["p50_ns"] for _, entry in entries), "raw_ns": entries[0][1]["raw_ns"]}
