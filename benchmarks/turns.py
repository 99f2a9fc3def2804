#!/usr/bin/python3
"""Two builds of bough in turns, such as a commit and the one before: the ratio of each case, and of all.

    git worktree add ../before COMMIT       # and build bench_bough in both, with the same compiler: benchmarks/README.md
    turns.py ../before/build/bench build/bench [--rounds 10] [--only REGEX]

A round runs each build once; which one begins changes from round to round. Below 1 the second build is faster.
Exit status: 1 if a case fails."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

from runner.intervals import FEWEST_PAIRS, median_interval
from runner.measure import bare, time_ns
from runner.stats import mean_of_medians

HERE = pathlib.Path(__file__).resolve().parent
MATRIX = HERE / "data/debian12-dependencies.mtx.gz"
SLOWER = 1.03  # a case whose interval lies above counts as slower, if it does so in two runs


def run(build, only, repetitions):
    """{case: median ns} of one process."""
    command = [build / "bin/bench_bough", "--matrix", MATRIX, f"--benchmark_filter={only}", "--benchmark_format=json",
               "--benchmark_min_time=0.01", f"--benchmark_repetitions={repetitions}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout.strip():
        sys.exit(f"turns: {build}: {done.stderr.strip() or done.returncode}")
    times = {}
    for entry in json.loads(done.stdout)["benchmarks"]:
        if entry.get("error_occurred"):
            sys.exit(f"turns: {build}: {entry['name']}: {entry['error_message']}")
        if entry["run_type"] == "iteration":
            times.setdefault(bare(entry["name"]), []).append(entry.get("p50_ns", time_ns(entry)))
    return {case: statistics.median(values) for case, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--repetitions", type=int, default=3, help="of a case in a process (default: %(default)s)")
    parser.add_argument("--only", default=".", metavar="REGEX")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    o = parser.parse_args()
    for build in (o.before, o.after):
        if not (build / "bin/bench_bough").is_file():
            parser.error(f"{build}: there is no bin/bench_bough")
    if o.rounds < FEWEST_PAIRS:
        parser.error(f"--rounds {o.rounds}: at least {FEWEST_PAIRS} are wanted")
    pairs = {}  # case: [(ns before, ns after) of each round]
    for number in range(o.rounds):
        sides = [o.before, o.after] if number % 2 == 0 else [o.after, o.before]
        times = {side: run(side, o.only, o.repetitions) for side in sides}
        for case in times[o.before].keys() & times[o.after].keys():
            pairs.setdefault(case, []).append((times[o.before][case], times[o.after][case]))
        print(f"round {number + 1} of {o.rounds}", file=sys.stderr, flush=True)
    if not pairs:
        parser.error(f"--only {o.only}: no case")
    intervals = {case: median_interval(after / before for before, after in rows) for case, rows in pairs.items()}
    for case, i in sorted(intervals.items(), key=lambda item: item[1]["ratio"]):
        print(f"{case:44} {i['ratio']:.3f} ({i['low']:.3f} to {i['high']:.3f}){'  slower' if i['low'] > SLOWER else ''}")
    of_all = mean_of_medians((tuple(after for _, after in rows), tuple(before for before, _ in rows))
                             for rows in pairs.values())
    print(f"\n{of_all['cases']} cases, {of_all['n']} rounds: geometric mean {of_all['ratio']:.3f} "
          f"({of_all['low']:.3f} to {of_all['high']:.3f})")
    if o.json:
        o.json.write_text(json.dumps({"before": str(o.before), "after": str(o.after), "ns": pairs, "mean": of_all}))


if __name__ == "__main__":
    main()
