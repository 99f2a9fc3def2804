#!/usr/bin/env python3
"""Plants faults in a copy of src/ and looks how many seeds it takes to find each; README.md."""

import argparse
import pathlib
import sys

import run
from build import build
from faults import FAULTS


def plant(root):
    """Texts of files below root/src with all faults in them; ends the script when one is not where it was."""
    texts = {}
    for number, fault in enumerate(FAULTS, 1):
        text = texts.get(fault.file) or (root / "src" / fault.file).read_text()
        if text.count(fault.before) != 1:
            sys.exit(f"planted.py: {fault.name}: its place is {text.count(fault.before)} times in src/{fault.file}; "
                     "adapt faults.py")
        texts[fault.file] = text.replace(fault.before, fault.after.replace("PLANTED", f"(planted_fault == {number})"))
    return {file: 'extern "C" int planted_fault;\n' + text for file, text in texts.items()}


def copy(root, tree):
    """What is the same keeps its time, so that it is not compiled again."""
    texts = plant(root)
    for part in ("src", "include"):
        for source in (root / part).rglob("*"):
            place = tree / part / source.relative_to(root / part)
            if source.is_dir():
                continue
            text = texts.get(str(source.relative_to(root / "src")) if part == "src" else "") or source.read_text()
            if not place.exists() or place.read_text() != text:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text)


def how(failure):
    if failure.status == 3:
        return "deadlock" if "deadlock" in failure.output else "no end"
    if failure.status == 1:
        return next((line for line in failure.output.splitlines() if line.startswith("wrong: ")), "a wrong answer")
    if failure.status < 0:
        return f"signal {-failure.status}"
    return f"status {failure.status}"


def main():
    usage = argparse.ArgumentParser(description=__doc__)
    usage.add_argument("build", type=pathlib.Path, help="a folder: the copy and what is built of it")
    usage.add_argument("--compiler", default="clang++-19")
    usage.add_argument("--seeds", type=run.positive, default=500, help="at most so many for each fault (500)")
    usage.add_argument("--seconds", type=run.positive, default=300, help="at most so many for each fault (300)")
    usage.add_argument("--jobs", type=run.positive, default=1, help="compilers and runs at a time (1)")
    usage.add_argument("--least", type=run.positive, default=10, help="fails if fewer faults are found (10)")
    usage.add_argument("--only", default="", help="faults whose file or name has this in it")
    usage.add_argument("--check", action="store_true", help="only whether each fault still has its place")
    given = usage.parse_args()

    chosen = [(number, f) for number, f in enumerate(FAULTS, 1) if given.only in f.file or given.only in f.name]
    if not chosen:
        usage.error(f"--only {given.only}: no fault has it in its file or name")
    if given.check:
        plant(run.ROOT)
        print(f"{len(FAULTS)} faults have their places")
        return
    folder = given.build.resolve()
    copy(run.ROOT, folder / "tree")
    said = build(folder / "build", given.compiler, given.jobs, f"-DBOUGH_SOURCE={folder / 'tree'}")
    if said is not None:
        sys.exit(f"planted.py: the faults were not built:\n{said[-10000:]}")
    programs = {fault.program: folder / "build" / fault.program for _, fault in chosen}
    scenarios = {name: run.scenarios_of(program) for name, program in programs.items()}

    missed = 0
    print("| fault | file | seeds | runs | found by | shows as |\n|---|---|---|---|---|---|", flush=True)
    for number, fault in chosen:
        failures, runs, seeds = run.until_found(programs[fault.program], scenarios[fault.program],
                                                range(1, given.seeds + 1), given.seconds, given.jobs,
                                                stop_at_first=True, further=[str(number)])
        if failures:
            first = failures[0]
            result = f"{seeds} | {runs} | {first.scenario} | {how(first)}"
        else:
            missed += 1
            result = f"not in {seeds} | {runs} | |"
        print(f"| {fault.name} | {fault.file} | {result} |", flush=True)
    found = len(chosen) - missed
    print(f"{found} of {len(chosen)} faults were found")
    if found < min(given.least, len(chosen)):
        sys.exit(f"planted.py: at least {min(given.least, len(chosen))} must be found")


if __name__ == "__main__":
    try:
        main()
    except run.Refused as refused:
        sys.exit(str(refused))
