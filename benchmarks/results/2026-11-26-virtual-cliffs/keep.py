#!/usr/bin/env python3
"""Runs a case of simulate/ under SIMULATE_TRACE and keeps what simulate/trace.py says of it in this folder, as text.

    keep.py NAME BUILD CASE RUNTIME MACHINE CORES [--lines N] [--arguments WORDS] [--set VARIABLE=VALUE ...]

NAME: of the file that is written here. BUILD: a build of simulate/. The environment is that of ./dev simulate, seed 1.
The list of threads is cut: the first three are kept, the rest are added up.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SHOWN_THREADS, WIDTH = 3, 170


def shortened(text):
    """trace.py's text, with all threads but the first added up."""
    kept, sums, states, count = [], [0.0, 0.0], {}, 0
    for line in text.splitlines():
        thread = re.match(r"  +(\d+) (\S+) +([0-9.]+) +([0-9.]+)  ?(.*)$", line)
        if not thread or line.startswith("      ") or int(thread[1]) < SHOWN_THREADS:
            if count and not thread:
                kept.append(f"  and {count} more, added up: waiting {sums[0]:.1f}, running {sums[1]:.1f}, not running: " +
                            ", ".join(f"{what} {us:.1f}" for what, us in sorted(states.items(), key=lambda s: -s[1])))
                count = 0
            kept.append(line[:WIDTH].rstrip())
            continue
        count += 1
        sums = [sums[0] + float(thread[3]), sums[1] + float(thread[4])]
        for state in filter(None, thread[5].split(", ")):
            what, us = state.rsplit(" ", 1)
            states[what] = states.get(what, 0) + float(us)
    return "\n".join(kept)


def main():
    usage = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usage.add_argument("name")
    usage.add_argument("build", type=pathlib.Path)
    usage.add_argument("case")
    usage.add_argument("runtime")
    usage.add_argument("machine")
    usage.add_argument("cores", type=int)
    usage.add_argument("--lines", type=int, default=6)
    usage.add_argument("--arguments", default="", help="of the case: WAY ROUNDS")
    usage.add_argument("--set", action="append", default=[], metavar="VARIABLE=VALUE")
    given = usage.parse_args()

    program = (given.build / f"{given.case}_{given.runtime}").resolve()
    settings = {"SIMULATE_CORES": str(given.cores), "SIMULATE_SEED": "1", "SIMULATE_SUMMARY": "1",
                **dict(each.split("=", 1) for each in given.set)}
    commit = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%h"], capture_output=True, text=True,
                            check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        raw = os.path.join(folder, "raw")
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "BOUGH_PROFILE": "/dev/null", **settings,
                       "SIMULATE_MACHINE": str(ROOT / f"simulate/machines/{given.machine}.json"), "SIMULATE_TRACE": raw}
        done = subprocess.run([program, *given.arguments.split()], env=environment, capture_output=True, text=True, check=False)
        is_cut = done.returncode == 3 and "SIMULATE_END_AT_US" in settings
        if done.returncode != 0 and not is_cut:
            sys.exit(f"keep.py: status {done.returncode}: {done.stderr[-2000:]}")
        text = subprocess.run([sys.executable, ROOT / "simulate/trace.py", raw, program, "--lines", str(given.lines)],
                              capture_output=True, text=True, check=True).stdout
    rounds = sorted(float(line.split()[1]) / 1000 for line in done.stdout.splitlines())
    head = [f"virtual: {given.case} on {given.runtime}, {given.machine}, {given.cores} cores, seed {settings['SIMULATE_SEED']}, commit {commit}",
            "command: SIMULATE_MACHINE=simulate/machines/" + given.machine + ".json BOUGH_PROFILE=/dev/null " +
            " ".join(f"{name}={value}" for name, value in settings.items()) +
            f" SIMULATE_TRACE=FILE {given.case}_{given.runtime} {given.arguments}".rstrip() + f"; simulate/trace.py FILE {given.case}_{given.runtime}"
            f" --lines {given.lines}",
            "the run was cut by SIMULATE_END_AT_US" if is_cut else
            f"rounds that count: {len(rounds)}, of {rounds[0]:.2f} to {rounds[-1]:.2f} us, median "
            f"{statistics.median(rounds):.2f}; " + done.stderr.strip().splitlines()[-1], ""]
    (HERE / f"{given.name}.txt").write_text("\n".join(head) + "\n" + shortened(text) + "\n")


if __name__ == "__main__":
    main()
