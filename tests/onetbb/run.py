"""oneTBB's own tests on oneTBB's library, on bough's, and recompiled: who fails where.

    run.py --tests DIR --onetbb DIR --bough DIR [--only REGEX] [--modes REGEX] [--long]

--tests: what CMakeLists.txt here built; --onetbb: with lib/; --bough: the folder of our libtbb.so.12. Without --long:
a part of the modes. --modes: those of that heading, such as library/2.
Exit status: 0 nothing differs but what differences.json lists; 1 something else does; 2 misuse.
"""

import argparse
import pathlib
import re
import sys

import differences
import report
from execution import MODES, SUBSET_MODES, Runner

HERE = pathlib.Path(__file__).resolve().parent


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=pathlib.Path, required=True)
    parser.add_argument("--onetbb", type=pathlib.Path, required=True)
    parser.add_argument("--bough", type=pathlib.Path, required=True)
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    parser.add_argument("--modes", type=re.compile, default=re.compile(""))
    parser.add_argument("--long", action="store_true")
    return parser.parse_args()


def wanted_tests(given):
    return [name for name in (given.tests / "tests.txt").read_text().split() if given.only.search(name)]


def wanted_modes(given):
    return [mode for mode in (MODES if given.long else SUBSET_MODES) if given.modes.search(mode.heading)]


def not_built():
    return {line.split()[0] for line in (HERE / "left_out.txt").read_text().splitlines() if line.strip()}


def judge(runner, name, mode, listed):
    """Runs one test in one mode; what came of it, and what is wrong with that: ("case", verdict, outcome) each."""
    listed = [difference for difference in listed if difference.concerns(name, mode)]
    whole = [difference for difference in listed if not difference.case]
    first = runner.run(name, mode, without=differences.cases(listed), known_hang=bool(whole) and whole[0].verdict == "hang")
    wrong = []
    if whole:
        if not whole[0].allows(first.verdict):
            wrong.append(("", f"{first.verdict}, listed as {whole[0].verdict}", first))
    elif first.verdict != "ok":
        wrong.append(("", first.verdict, first))
    for difference in listed:
        if difference.case:
            alone = runner.run(name, mode, only=difference.case, known_hang=difference.verdict == "hang")
            if not difference.allows(alone.verdict):
                wrong.append((difference.case, f"{alone.verdict}, listed as {difference.verdict}", alone))
    return report.Result(first, bool(listed), wrong)


def main():
    given = options()
    tests, modes = wanted_tests(given), wanted_modes(given)
    if not tests or not modes:
        sys.exit("tests/onetbb/run.py: no test or no mode of that name")
    listed = differences.read(HERE / "differences.json")
    missing = not_built()
    runner = Runner(given.tests, given.onetbb, given.bough)
    table = report.Table(tests, modes)
    for name in tests:
        table.row(name, {mode: judge(runner, name, mode, listed) for mode in modes
                         if f"{mode.binaries}/{name}" not in missing})
    return table.end()


if __name__ == "__main__":
    sys.exit(main())
