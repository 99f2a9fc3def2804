#!/usr/bin/env python3
"""Runs the programs of the paper on channels on the balancer of deques and on that of channels, in turn, and prints
medians, their ratio, and what the balancer of channels did. Exit status: 1 if an answer is wrong.

    ninja -C build/bench bench_balance bough_variant_channels
    balance.py --build build/bench [--rounds 5] [--threads 2] [--large] [--only REGEX] [--set BOUGH_X=VALUE]

On a virtual machine, where a round is a seed (simulate/README.md says how build/simulate is configured):

    ninja -C build/simulate balance balance_channels
    balance.py --build build/simulate --machine opteron-48 [--threads 48] [--rounds 3]
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

import virtual_machine

SMALL = ["spc 100000 1", "spc 10000 10", "spc 1000 100", "spc 200 1000",
         "bpc 1000 10", "bpc 1000 10 --poll=2", "bpc 200 100", "bpc 200 100 --poll=2",
         "treerec 25", "treerec 20 1", "product 512", "lu 1024", "quicksort 10000000", "uts T1", "uts T2", "uts T3"]
# As in the paper, which does not say how often a task polls.
LARGE = ["spc 100000 1", "spc 100000 10", "spc 100000 100", "spc 100000 1000", "bpc 1000 10", "bpc 1000 10 --poll=2",
         "bpc 1000 100", "bpc 1000 100 --poll=2", "bpc 10000 10", "bpc 10000 10 --poll=2", "treerec 25 1", "product 2048",
         "lu 4096", "quicksort 100000000", "uts T1L", "uts T2L", "uts T3L"]
# Some ms of virtual time, which are some seconds of real time.
VIRTUAL = ["spc 10000 1", "spc 5000 10", "spc 2000 100", "spc 480 1000",
           "bpc 200 10", "bpc 200 10 --poll=2", "bpc 100 100", "bpc 100 100 --poll=2",
           "treerec 22", "treerec 21 1", "treerec 19 10", "product 512", "lu 768", "quicksort 300000", "uts T1S", "uts T3S"]
BUILT_BY = {False: "bench_balance bough_variant_channels", True: "balance balance_channels"}  # on a virtual machine
COLUMNS = """Columns: requests that thieves sent, answers that had something, how often a request was passed on to another
victim, and given back as nobody had work; tasks that travelled in answers; tasks that were exposed, so that any thread could
take them without a request (src/balance/README.md)."""
BALANCERS = {"deques": "lib", "channels": "lib/bough-variants/channels"}


def start(o, balancer, program, number):
    """The command and the environment of one run."""
    if not o.machine:
        return ([o.build / "bin" / "bench_balance", *program.split()],
                dict(os.environ, LD_LIBRARY_PATH=str(o.build / BALANCERS[balancer]), BOUGH_NUM_THREADS=str(o.threads),
                     BOUGH_STATS="1", **o.settings))
    name = "balance" if balancer == "deques" else "balance_" + balancer
    return ([o.build / name, *program.split()],
            dict(virtual_machine.environment(o.machine, o.threads, number), BOUGH_NUM_THREADS=str(o.threads),
                 BOUGH_STATS="1", **o.settings))


def run(o, balancer, program, number):
    """One line of bench_balance, as a dictionary."""
    command, environment = start(o, balancer, program, number)
    done = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)
    refused = [line for line in done.stderr.splitlines() if line.startswith("bough: BOUGH_")]
    if refused:
        sys.exit(refused[0])
    if done.returncode != 0:
        sys.exit(f"{program} on {balancer}: status {done.returncode}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def compare(o, program):
    """Prints one row; returns the ratio of the medians."""
    of = {balancer: [] for balancer in BALANCERS}
    for number in range(o.rounds):
        for balancer, all_of in of.items():
            all_of.append(run(o, balancer, program, number))
    times = {balancer: [one["seconds"] for one in all_of] for balancer, all_of in of.items()}
    medians = {balancer: statistics.median(all_of) for balancer, all_of in times.items()}
    pairs = sorted(c / d for d, c in zip(times["deques"], times["channels"]))
    counted = {name: statistics.median(one[name] for one in of["channels"])
               for name in ("steal-tried", "steal-won", "passed-on", "given-back", "tasks-sent", "exposed")}
    ratio = medians["channels"] / medians["deques"]
    print(f"| {program} | {1e3 * medians['deques']:.2f} | {1e3 * medians['channels']:.2f} "
          f"| {ratio:.2f} ({pairs[0]:.2f} to {pairs[-1]:.2f}) | "
          + " | ".join(f"{value:.0f}" for value in counted.values()) + " |", flush=True)
    return ratio


def mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__, epilog=COLUMNS)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build/bench, or build/simulate with --machine")
    parser.add_argument("--rounds", type=int, default=5, help="of each program, in turns (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="(default: %(default)s)")
    parser.add_argument("--large", action="store_true", help="the paper's sizes: five minutes a round on 2 cores")
    parser.add_argument("--machine", choices=virtual_machine.names(), help="a virtual machine")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name and arguments match")
    parser.add_argument("--set", action="append", default=[], metavar="BOUGH_X=VALUE", help="a setting of every run")
    o = parser.parse_args()
    for setting in o.set:
        if not re.fullmatch(r"BOUGH_[A-Z_]+=.+", setting):
            parser.error(f"--set {setting}: BOUGH_X=VALUE is wanted")
    o.settings = dict(setting.split("=", 1) for setting in o.set)
    o.build = o.build.resolve()
    known = VIRTUAL if o.machine else LARGE if o.large else SMALL
    programs = [program for program in known if re.search(o.only, program)]
    if not programs:
        parser.error(f"--only {o.only}: no program; there are {', '.join(known)}")
    for needed in (["balance", "balance_channels"] if o.machine else ["bin/bench_balance", BALANCERS["channels"]]):
        if not (o.build / needed).exists():
            parser.error(f"{o.build / needed} is missing: ninja -C {o.build} {BUILT_BY[bool(o.machine)]}")
    print("| program | deques, ms | channels, ms | channels / deques (pairs) | requests | answers | passed on "
          "| given back | tasks sent | exposed |\n|---|---|---|---|---|---|---|---|---|---|")
    ratios = {program: compare(o, program) for program in programs}
    print(f"\ngeometric mean: {mean(ratios.values()):.3f}")
    # The paper's programs with tasks of 1 us and more, of which BPC polls.
    judged = [ratio for program, ratio in ratios.items()
              if not re.fullmatch(r"treerec \d+|bpc \d+ \d+", program)]
    if judged:
        print(f"without empty tasks, and BPC with polling only: {mean(judged):.3f}")


if __name__ == "__main__":
    main()
