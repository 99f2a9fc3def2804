#!/usr/bin/env python3
"""Loops with pauses between them, in which the calling thread sleeps: the processor time of the whole process for each
loop and pause, and how long a loop takes. Runtimes take turns. Exit status: 1 if an index was not visited once.

    ninja -C build/bench bench_gaps
    gaps.py --build build/bench [--rounds 5] [--threads 2] [--json FILE]
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

RUNTIMES = ["serial", "bough", "tbb_auto", "tbb_static", "omp_static"]
GAPS_US = [100, 1000, 10000]
LOOPS = {"64 numbers": "64 0", "10 us": "2 5000", "200 us": "200 1000"}  # units, and ns for each


def run(build, runtime, gap, loop, threads):
    """One line of bench_gaps, as a dictionary."""
    times = max(40, min(400, 400_000 // gap))
    done = subprocess.run([build / "bin" / f"bench_gaps_{runtime}", str(gap), *loop.split(), str(times)],
                          env=dict(os.environ, BENCH_THREADS=str(threads)), text=True, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{runtime}, {gap} us, {loop}: status {done.returncode}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def compare(o, gap, name, loop):
    """Prints the rows of one gap and loop; returns all runs."""
    of = {runtime: [] for runtime in RUNTIMES}
    for _ in range(o.rounds):
        for runtime, runs in of.items():
            runs.append(run(o.build, runtime, gap, loop, o.threads))
    rivals = [runtime for runtime in RUNTIMES if runtime.startswith("tbb")]
    for runtime, runs in of.items():
        cpu = statistics.median(one["cpu_us"] for one in runs)
        ratios = sorted(mine["cpu_us"] / min(of[rival][i]["cpu_us"] for rival in rivals)
                        for i, mine in enumerate(runs))
        loop_us = statistics.median(one["loop_us"] for one in runs)
        late = statistics.median(one["p90_us"] for one in runs)
        print(f"| {gap / 1000:g} ms | {name} | {runtime} | {cpu:.1f} "
              f"| {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) | {loop_us:.2f} | {late:.1f} |",
              flush=True)
    return {"gap_us": gap, "loop": name, "runs": of}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    o = parser.parse_args()
    print("| pause | loop | runtime | processor time, us | by oneTBB's least | loop, us | nine tenths within, us |\n"
          "|---|---|---|---|---|---|---|")
    kept = [compare(o, gap, name, loop) for gap in GAPS_US for name, loop in LOOPS.items()]
    if o.json:
        o.json.write_text(json.dumps({"threads": o.threads, "cases": kept}, indent=1) + "\n")


if __name__ == "__main__":
    main()
