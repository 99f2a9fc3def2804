#!/usr/bin/env python3
"""Runs loops that write, with morsels and without, on bough and on oneTBB, all ways in turn, and prints a table of medians
and their ratios. Exit status: 1 if an answer is wrong or a program failed.

    ninja -C build/bench bench_morsels
    morsels.py --build build/bench [--rounds 5] [--threads 2] [--only REGEX] [--json FILE]

On a virtual machine, where a round is a seed (simulate/README.md says how build/simulate is configured):

    ninja -C build/simulate morsels_bough morsels_onetbb
    morsels.py --build build/simulate --machine xeon-48 [--threads 48] [--rounds 3]
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

import virtual_machine

WAYS = {"bough": ["bough", "bough-grain", "bough-affinity", "bough-morsels", "bough-morsels-memory"],
        "onetbb": ["onetbb-auto", "onetbb-static", "onetbb-simple", "onetbb-affinity"]}
PLAIN = "bough"


def cases(o):
    """What runs, each with its sizes: 3 us to some ms. The first has a line for each thread. Of real ones the last is
    larger than an L2 cache of 1 MiB, and smaller than two."""
    if o.machine:
        sizes = dict(shared_lines=(64 * o.threads, 8192), heat=(128,), product=(96,), merge_sort=(16384,), bands=(32768,))
    else:
        sizes = dict(shared_lines=(64 * o.threads, 8192), heat=(256, 1024), product=(128,), merge_sort=(65536,),
                     bands=(196608,))
    return [(case, size) for case, all_of in sizes.items() for size in all_of if re.search(o.only, f"{case} {size}")]


def start(o, runtime, number):
    """The program of a runtime, how often it runs its loops, and its environment."""
    if not o.machine:
        return o.build / "bin" / ("bench_morsels_" + runtime), ["--warm-ups", "10", "--rounds", "20"], dict(os.environ)
    return (o.build / ("morsels_" + runtime), ["--warm-ups", "5", "--rounds", "5"],
            virtual_machine.environment(o.machine, o.threads, number))


def run(o, runtime, case, size, way, number):
    """The median time of one process, in ns."""
    program, counts, environment = start(o, runtime, number)
    command = [program, case, way, "--size", str(size), "--threads", str(o.threads), *counts]
    try:
        done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=o.timeout, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        sys.exit(f"{case} on {way}: {e}")
    times = [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith(way + " ")]
    if done.returncode != 0 or not times:
        sys.exit(f"{case} on {way}: status {done.returncode}: {done.stderr.strip()}")
    return statistics.median(times)


def compare(above, below):
    """The median ratio of rounds, with the least and the greatest."""
    ratios = sorted(a / b for a, b in zip(above, below))
    return dict(median=statistics.median(ratios), least=ratios[0], greatest=ratios[-1])


def measured(o, case, size):
    times = {way: [] for ways in WAYS.values() for way in ways}
    for number in range(o.rounds):
        for runtime, ways in WAYS.items():
            for way in ways:
                times[way].append(run(o, runtime, case, size, way, number))
    best = {runtime: min(ways, key=lambda way: statistics.median(times[way])) for runtime, ways in WAYS.items()}
    return dict(times_ns=times, best=best,
                by_plain={way: compare(t, times[PLAIN]) for way, t in times.items()},
                best_by_best=compare(times[best["bough"]], times[best["onetbb"]]))


def ratio(r):
    return f"{r['median']:.2f} ({r['least']:.2f} to {r['greatest']:.2f})"


def print_rows(case, m):
    for way, times in m["times_ns"].items():
        by_plain = "1" if way == PLAIN else ratio(m["by_plain"][way])
        print(f"| {case} | {way} | {statistics.median(times) / 1e3:.1f} | {by_plain} |")
    print(f"| {case} | {m['best']['bough']} by {m['best']['onetbb']} | | {ratio(m['best_by_best'])} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, help="all of the machine by default")
    parser.add_argument("--machine", choices=virtual_machine.names(), help="a virtual machine")
    parser.add_argument("--only", default="", help="cases with their sizes, a regular expression")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one process")
    o = parser.parse_args()
    o.build = o.build.resolve()
    o.threads = o.threads or (virtual_machine.cores(o.machine) if o.machine else os.cpu_count())
    chosen = cases(o)
    if not chosen:
        parser.error(f"no case matches {o.only}")
    print("| case | way | µs | by bough (least to greatest of rounds) |\n|---|---|---|---|")
    results = {}
    for case, size in chosen:
        name = f"{case} {size}"
        results[name] = measured(o, case, size)
        print_rows(name, results[name])
    if o.json:
        text = json.dumps(dict(machine=o.machine or "real", threads=o.threads, rounds=o.rounds, cases=results), indent=1)
        o.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
