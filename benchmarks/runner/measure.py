"""Runs the binaries: rounds in which the runtimes take turns, and the start latency between runs of `raw`."""

import json
import os
import re
import statistics
import subprocess
import time

from .options import ON_BOUGH, binary, stop
from .others import Others

CLASSIC = {"BOUGH_DISTRIBUTE": "steal", "BOUGH_GATE": "off"}
REPETITIONS = 3
BUSY_RAW_NS = 5000  # a hand-written hand-off that takes this long waited for a CPU
MODE_CHANGE = 1.5  # a raw run this much slower or faster than the one before: the cores' distance changed
TO_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


class Failure(Exception):
    """A binary ended badly; its message."""


def environment(o, runtime):
    env = dict(os.environ, BENCH_THREADS=str(o.threads))
    if runtime == "bough_classic":
        env.update(CLASSIC)
    return env


def call(o, runtime, arguments, limit_s):
    launcher = [str(o.release / "bin/bough-run")] if runtime.endswith(ON_BOUGH) else []
    command = launcher + [str(binary(o, runtime)), "--matrix", str(o.matrix)] + (["--full"] if o.full else []) + arguments
    try:
        done = subprocess.run(command, env=environment(o, runtime), capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise Failure(f"{runtime} did not end within {limit_s} s")
    if done.returncode == 2:
        stop(last_line(done.stderr))
    if done.returncode < 0 or not done.stdout.strip():
        raise Failure(f"{runtime} ended with {done.returncode}: {last_line(done.stderr)}")
    return done.stdout


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line]
    return lines[-1] if lines else "no message"


def list_cases(o, runtime):
    names = call(o, runtime, ["--benchmark_list_tests=true"], 300).split()
    return [bare(name) for name in names]


def bare(name):
    return re.sub(r"/(real_time|manual_time)$", "", name)


def run_cases(o, runtime, cases, min_time_s):
    """{case: [ns of each repetition]}, {case: error}, context."""
    exact = "|".join(case.replace(".", "[.]") for case in cases)
    limit_s = 120 + len(cases) * (600 if o.full else 60)
    text = call(o, runtime, [f"--benchmark_filter=^({exact})/(real_time|manual_time)$", "--benchmark_format=json",
                             f"--benchmark_min_time={min_time_s}", f"--benchmark_repetitions={REPETITIONS}"], limit_s)
    report = json.loads(text)
    times, errors = {}, {}
    for entry in report["benchmarks"]:
        if entry.get("run_type") != "iteration":
            continue
        case = bare(entry["run_name"])
        if entry.get("error_occurred"):
            errors[case] = entry["error_message"]
        else:
            ns = entry.get("p50_ns", entry["real_time"] * TO_NS[entry["time_unit"]])
            times.setdefault(case, []).append(ns)
    return times, errors, report["context"]


def rounds(o, cases, start, results):
    """Each round runs every runtime once, then the start latency; the next round begins with another runtime.
    Without --rounds the quick suite ends early when its time is up."""
    begin = time.monotonic()
    others = Others()
    for number in range(1, o.rounds + 1):
        shift = (number * 3) % len(o.runtimes)
        if cases:
            for runtime in o.runtimes[shift:] + o.runtimes[:shift]:
                one_runtime(o, runtime, cases, results)
        if start:
            latency(o, start, number, results)
        spent = time.monotonic() - begin
        kept = sum(trial["kept"] for trial in results.latency)
        print(f"round {number} of {o.rounds}: {len(o.runtimes)} runtimes, {len(cases)} cases"
              + (f", {kept} of {len(results.latency)} start latency pairs kept" if start else "")
              + f"; {spent:.0f} s so far", flush=True)
        results.settings["rounds"] = number
        results.settings["others_cpus"] = others.cpus()
        if o.budget_s and number % 2 == 0 and spent / number * (number + 2) > o.budget_s:
            print(f"{number} rounds have to do: this machine is slow or busy (--rounds N takes as long as it takes)")
            break


def one_runtime(o, runtime, cases, results):
    measured = {}
    if runtime not in results.failed:
        try:
            measured, errors, context = run_cases(o, runtime, cases, 0.02 if o.full else 0.003)
            results.add_errors(runtime, errors)
            results.add_context(runtime, context)
        except Failure as failure:
            results.add_failure(runtime, str(failure))
    for case in cases:
        results.times[case][runtime].append(measured.get(case, []))


def latency(o, case, number, results):
    """bough and one peer at a time, with raw before and after; a pair during which raw changed is marked."""
    for bough, peer in o.pairs:
        pair = [bough, peer] if number % 2 else [peer, bough]
        try:
            before = start_ns(o, "raw", case, results)
            times = {runtime: start_ns(o, runtime, case, results) for runtime in pair}
            after = start_ns(o, "raw", case, results)
        except Failure as failure:
            results.add_failure(peer, str(failure))
            continue
        changed = max(before, after) > MODE_CHANGE * min(before, after)
        busy = not o.crowded and max(before, after) > BUSY_RAW_NS
        results.latency.append({"round": number, "peer": peer, "raw_before": before, "raw_after": after,
                                "bough": times[bough], "peer_ns": times[peer], "kept": not changed and not busy})


def start_ns(o, runtime, case, results):
    times, errors, context = run_cases(o, runtime, [case], 0.003)
    results.add_errors(runtime, errors)
    results.add_context(runtime, context)
    if case not in times:
        raise Failure(f"{runtime}: no time for {case}: {errors.get(case, 'not run')}")
    return statistics.median(times[case])
