"""Real programs on oneTBB's library and on bough's, in turn: same answers, and what the times say.

    run.py --build DIR --onetbb DIR [--only NAME[/CASE]]... [--quick] [--rounds N] [--install] [--cxx C++]

Exit status: 0 all good; 1 a program failed, hung, answered differently or ran on another libtbb; 77 nothing could be
run (each missing program is named with its package). Times are reported, never judged.
"""

import argparse
import fcntl
import hashlib
import pathlib
import statistics
import subprocess
import sys

import programs
import sides

SKIPPED = 77
WANTED_RATIO = 1.05


def seconds(case, finished):
    if not case.prints_seconds:
        return finished.wall_s
    return float(finished.text("stderr").rsplit("seconds ", 1)[1].split()[0])


def digest(case, finished):
    try:
        content = case.answer(finished)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise sides.Failure(f"{finished.folder}: no answer: {error}") from error
    if not content:
        raise sides.Failure(f"{finished.folder}: the answer is empty")
    return hashlib.sha256(content).hexdigest()[:16]


class Comparison:
    """One case: its answers must all be oneTBB's first; its times are kept per side, in the order of the rounds."""

    def __init__(self, case, folder):
        self.case, self.folder = case, folder
        self.expected = None
        self.times, self.cpu = {}, {}

    def check(self, side, finished):
        got = digest(self.case, finished)
        self.expected = self.expected or got
        if got != self.expected:
            raise sides.Failure(f"{side.name}: answer {got}, not {self.expected} (compare {self.folder}/*)")

    def prove(self, side):
        self.check(side, sides.prove(side, self.case, self.folder / f"{side.name}.first"))

    def measure(self, side):
        finished = sides.run(side, self.case, self.folder / side.name)
        self.check(side, finished)
        self.times.setdefault(side.name, []).append(seconds(self.case, finished))
        self.cpu.setdefault(side.name, []).append(finished.cpu_s)

    def report(self, theirs, ours):
        ratios = [b / a for a, b in zip(self.times[theirs], self.times[ours])]
        medians = {s: statistics.median(self.times[s]) for s in (theirs, ours)}
        cpu = statistics.median(self.cpu[ours]) / max(statistics.median(self.cpu[theirs]), 1e-3)
        ratio = medians[ours] / medians[theirs]
        slower = "" if ratio <= WANTED_RATIO else f"  (wanted: {WANTED_RATIO})"
        return (f"oneTBB {medians[theirs]:.3f} s, bough {medians[ours]:.3f} s, ratio {ratio:.2f} "
                f"({min(ratios):.2f} to {max(ratios):.2f}), CPU time {cpu:.2f}{slower}")


def compare(case, folder, places, rounds):
    theirs, ours, _ = places
    comparison = Comparison(case, folder)
    for side in places:
        comparison.prove(side)
    for _ in range(rounds):
        comparison.measure(theirs)
        comparison.measure(ours)
    return comparison.report(theirs.name, ours.name)


def run_program(program, place, only, rounds):
    """How many of its cases ran, and how many of them went wrong."""
    print(f"== {program.name}: {program.version(place)}", flush=True)
    ran = wrong = 0
    places = sides.sides(place.build, place.onetbb)
    runs = place.work / "runs"
    try:
        cases = program.cases(place)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"WRONG {program.name}: its inputs cannot be made: {error}", flush=True)
        return 1, 1
    for case in cases:
        name = f"{program.name}/{case.name}"
        if only and program.name not in only and name not in only:
            continue
        ran += 1
        try:
            print(f"ok    {name}: {compare(case, runs / name, places, rounds)}", flush=True)
        except sides.Failure as failure:
            wrong += 1
            print(f"WRONG {name}: {failure}", flush=True)
    return ran, wrong


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build tree of bough")
    parser.add_argument("--onetbb", type=pathlib.Path, required=True, help="include/ and lib/ of a real oneTBB")
    parser.add_argument("--only", action="append", default=[], metavar="NAME[/CASE]")
    parser.add_argument("--quick", action="store_true", help="small inputs, one round")
    parser.add_argument("--rounds", type=int, help="how often each takes its turn (default: 5; 1 with --quick)")
    parser.add_argument("--install", action="store_true", help="install what is missing (apt-get, pip)")
    parser.add_argument("--cxx", default="c++")
    options = parser.parse_args()
    known = {p.name for p in programs.PROGRAMS}
    unknown = [o for o in options.only if o.split("/")[0] not in known]
    if unknown:
        parser.error(f"no such program: {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    return options


def main():
    options = parse()
    build = options.build.resolve()
    place = programs.Place(build, options.onetbb.resolve(), build / "real", options.cxx, options.quick)
    place.work.mkdir(parents=True, exist_ok=True)
    lock = open(place.work / "lock", "w", encoding="ascii")  # held until the end: runs in one build tree share folders
    fcntl.flock(lock, fcntl.LOCK_EX)
    named = {o.split("/")[0] for o in options.only}
    wanted = [p for p in programs.PROGRAMS if not named or p.name in named]
    if options.install:
        programs.install(place, wanted)
    rounds = options.rounds or (1 if options.quick else 5)
    ran = wrong = 0
    for program in wanted:
        reason = program.absent(place)
        if reason:
            print(f"skip  {program.name}: {reason}; package {program.package}", flush=True)
            continue
        counts = run_program(program, place, options.only, rounds)
        ran, wrong = ran + counts[0], wrong + counts[1]
    print(f"{ran} cases, {wrong} wrong")
    if ran == 0 and options.only and any("/" in o for o in options.only):
        print("no such case, or its program is missing")
    sys.exit(SKIPPED if ran == 0 else int(wrong > 0))


if __name__ == "__main__":
    main()
