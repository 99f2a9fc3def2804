#!/usr/bin/python3
"""Instructions of one call, counted by callgrind, against what expected.json holds for this compiler.

Two runs that differ only in the number of calls: what they share is subtracted. A count is the same each time but for the
few loops that the runtime times, so the least of up to three counts, and one that has grown by more than a tenth is no noise.
Exit code 77: nothing to compare with.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ALLOWED_GROWTH = 1.1
FEW, MANY = 1000, 3000
TRIES = 3


def instructions(valgrind, program, times):
    done = subprocess.run(
        [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", program, str(times)],
        env={**os.environ, "BOUGH_NUM_THREADS": "1"}, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{program} under valgrind: exit code {done.returncode}\n{done.stderr}")
    return int(found.group(1))


def count(o):
    few, many = (instructions(o.valgrind, o.program, times) for times in (FEW, MANY))
    return (many - few) / (MANY - FEW)


def min_count(o, expected):
    least = count(o)
    for _ in range(TRIES - 1):
        if expected is None or least <= expected * ALLOWED_GROWTH:
            break
        least = min(least, count(o))
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--valgrind", required=True)
    parser.add_argument("--compiler", required=True, help="as in expected.json, such as 'GNU 12'")
    parser.add_argument("program", type=pathlib.Path)
    o = parser.parse_args()
    name = o.program.name.removeprefix("bough_count_")
    known = json.loads((pathlib.Path(__file__).parent / "expected.json").read_text(encoding="utf-8"))
    expected = known.get(o.compiler, {}).get(name)
    each = min_count(o, expected)
    print(f"{name}: {each:.1f} instructions a call; expected with {o.compiler}: {expected}")
    if expected is None:
        sys.exit(77)
    if each > expected * ALLOWED_GROWTH:
        sys.exit(f"{name}: grown by {100 * (each / expected - 1):.0f} %, 10 % are allowed; "
                 "if that is worth it, say so in expected.json and README.md")


if __name__ == "__main__":
    main()
