#!/usr/bin/env python3
"""Runs the programs of the paper on channels on the balancer of deques and on that of channels, in turn, and prints
medians, their ratio, and what the balancer of channels did. Exit status: 1 if an answer is wrong.

    ninja -C build/bench bench_balance
    balance.py --build build/bench [--rounds 5] [--threads 2] [--large] [--only REGEX]
"""

import argparse
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

SMALL = ["spc 100000 1", "spc 10000 10", "spc 1000 100", "spc 200 1000",
         "bpc 1000 10", "bpc 1000 10 --poll", "bpc 200 100", "bpc 200 100 --poll",
         "treerec 25", "treerec 20 1", "product 512", "lu 1024", "quicksort 10000000", "uts T1", "uts T2", "uts T3"]
# As in the paper.
LARGE = ["spc 100000 1", "spc 100000 10", "spc 100000 100", "spc 100000 1000", "bpc 1000 10", "bpc 1000 10 --poll",
         "bpc 1000 100", "bpc 1000 100 --poll", "bpc 10000 10", "bpc 10000 10 --poll", "treerec 25 1", "product 2048",
         "lu 4096", "quicksort 100000000", "uts T1L", "uts T2L", "uts T3L"]
BALANCERS = {"deques": "lib", "channels": "lib/bough-variants/channels"}


def run(build, balancer, program, threads):
    """One line of bench_balance, as a dictionary."""
    environment = dict(os.environ, LD_LIBRARY_PATH=str(build / BALANCERS[balancer]), BOUGH_NUM_THREADS=str(threads),
                       BOUGH_STATS="1")
    done = subprocess.run([build / "bin" / "bench_balance", *program.split()], env=environment, text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} on {balancer}: status {done.returncode}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def compare(build, program, threads, rounds):
    """Prints one row; returns the ratio of the medians."""
    of = {balancer: [] for balancer in BALANCERS}
    for _ in range(rounds):
        for balancer, all_of in of.items():
            all_of.append(run(build, balancer, program, threads))
    times = {balancer: [one["seconds"] for one in all_of] for balancer, all_of in of.items()}
    medians = {balancer: statistics.median(all_of) for balancer, all_of in times.items()}
    pairs = sorted(c / d for d, c in zip(times["deques"], times["channels"]))
    counted = {name: statistics.median(one[name] for one in of["channels"])
               for name in ("steal-tried", "steal-won", "passed-on", "given-back", "tasks-sent")}
    ratio = medians["channels"] / medians["deques"]
    print(f"| {program} | {1e3 * medians['deques']:.1f} | {1e3 * medians['channels']:.1f} "
          f"| {ratio:.2f} ({pairs[0]:.2f} to {pairs[-1]:.2f}) | "
          + " | ".join(f"{value:.0f}" for value in counted.values()) + " |", flush=True)
    return ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--large", action="store_true", help="the paper's sizes: an hour on 2 cores")
    parser.add_argument("--only", default="")
    o = parser.parse_args()
    print("| program | deques, ms | channels, ms | channels / deques (pairs) | requests | answers | passed on "
          "| given back | tasks sent |\n|---|---|---|---|---|---|---|---|---|")
    ratios = [compare(o.build, program, o.threads, o.rounds) for program in (LARGE if o.large else SMALL)
              if re.search(o.only, program)]
    if ratios:
        print(f"\ngeometric mean: {math.exp(statistics.fmean(map(math.log, ratios))):.3f}")


if __name__ == "__main__":
    main()
