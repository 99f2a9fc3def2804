#!/usr/bin/python3
"""Has spin look at every state of park.pml, arenas.pml and leaving.pml, which must hold, and at mutants, which must not. README.md.

usage: check.py [--long] [--only NAME]    Exit code 77: no spin.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MEMORY_MIB = 2048
DEPTH = 1_000_000
HERE = pathlib.Path(__file__).resolve().parent

# Bodies that wait for each other need as many threads as there are pieces.
PLACES = {
    "workers": "park WORKERS=2 CALLERS=0 ENQUEUERS=1 PIECES=2",
    "caller": "park WORKERS=1 CALLERS=1 ENQUEUERS=1 PIECES=1",
    "slot": "park WORKERS=2 SLOTS=1 CALLERS=0 ENQUEUERS=1 PIECES=2 BODIES_RETURN",
    "grows": "park WORKERS=1 LIMIT=0 NEW_LIMIT=1 CALLERS=0 ENQUEUERS=1 PIECES=2 BODIES_RETURN",
    "shrinks": "park WORKERS=2 NEW_LIMIT=1 CALLERS=0 ENQUEUERS=1 PIECES=1 SEQUENTIAL",
    "blocked": "park WORKERS=2 LIMIT=1 CALLERS=0 ENQUEUERS=1 PIECES=2 BLOCKED",
    "blocked in the slot": "park WORKERS=2 SLOTS=1 CALLERS=0 ENQUEUERS=1 PIECES=2 BLOCKED BODIES_RETURN",
    "beyond the limit": "leaving WORKERS=2 LIMIT=2 NEW_LIMIT=1 AT_WORK PAIRS ENQUEUED=0 SHARED=0",
    "two beyond the limit": "leaving WORKERS=3 LIMIT=1 AT_WORK PAIRS ENQUEUED=0 SHARED=0",
    "the one worker": "leaving WORKERS=2 LIMIT=0 ENQUEUED=1 SHARED=0",
    "no worker any more": "leaving WORKERS=2 LIMIT=1 NEW_LIMIT=0 ENQUEUED=1 SHARED=0",
    "workers allowed now": "leaving WORKERS=2 LIMIT=0 NEW_LIMIT=1 ENQUEUED=0 SHARED=1",
    "stand-in": "leaving WORKERS=2 LIMIT=0 ENQUEUED=1 SHARED=1 SLEEPER",
    "higher priority": "leaving WORKERS=2 LIMIT=2 HIGHER PAIRS ENQUEUED=1 SHARED=0",
    "turns": "leaving WORKERS=2 LIMIT=2 TURNS PAIRS ENQUEUED=1 SHARED=0",
    "turns of one worker": "leaving WORKERS=2 LIMIT=1 TURNS ENQUEUED=1 SHARED=1",
    "two arenas": "arenas TASKS=1",
    "two arenas, one higher": "arenas TASKS=1 HIGHER",
}
LARGE_PLACES = {
    "one worker, higher priority": "leaving WORKERS=2 LIMIT=1 HIGHER ENQUEUED=1 SHARED=1",
    "fewer workers": "leaving WORKERS=2 LIMIT=2 NEW_LIMIT=1 ENQUEUED=1 SHARED=0",
    "looks twice": "park WORKERS=2 CALLERS=0 ENQUEUERS=1 PIECES=2 LOOKS_TWICE",
    "publishers": "park WORKERS=2 CALLERS=0 ENQUEUERS=2 PIECES=1",
    "callers": "park WORKERS=1 CALLERS=2 ENQUEUERS=0 PIECES=1",
    "workers and caller": "park WORKERS=2 CALLERS=1 ENQUEUERS=0 PIECES=2",
    "grows to two": "park WORKERS=2 LIMIT=1 NEW_LIMIT=2 CALLERS=0 ENQUEUERS=1 PIECES=2",
    "two arenas, two tasks": "arenas TASKS=2",
    "two arenas, one higher, two tasks": "arenas TASKS=2 HIGHER",
    "shrinks to one": "park WORKERS=2 NEW_LIMIT=1 CALLERS=0 ENQUEUERS=1 PIECES=2 BODIES_RETURN",
}
# Each with the place where it is seen soonest.
MUTANTS = {
    "READ_BEFORE_PUBLISH": "workers",
    "NO_HEAVY_FENCE": "workers",
    "NO_LOOK_BEFORE_LEAVING": "workers",
    "LEAVE_WITHOUT_RAISE": "workers",
    "ROLE_READ_BEFORE_LEAVING": "workers",
    "STOP_WITHOUT_CALLING": "workers",
    "NO_LOOK_BEFORE_SLEEP": "caller",
    "NOT_ASKED_WHETHER_DONE": "caller",
    "ALARM_BEFORE_LIST": "caller",
    "UNCOUNTED_SLEEPER": "caller",
    "SLEEPERS_NOT_SEEN": "caller",
    "SLOT_BACK_SILENTLY": "slot",
    "LIMIT_GROWS_SILENTLY": "grows",
    "CREW_FORGETS": "shrinks",
    "SENT_AWAY_SILENTLY": "shrinks",
    "BLOCKED_COUNTS_AS_INSIDE": "blocked",
    "BLOCKED_SILENTLY": "blocked",
    "DECIDES_BEFORE_IT_IS_COUNTED_OFF": "two beyond the limit",
    "NONE_IS_THE_LAST": "beyond the limit",
    "STAYS_WHATEVER_IS_READ": "two beyond the limit",
    "LIMITS_ARE_IGNORED": "two beyond the limit",
    "PRIORITIES_ARE_IGNORED": "higher priority",
    "GOES_WITHOUT_A_CALL": "higher priority",
    "SLEEPS_AND_ASKS_FOR_NOBODY": "stand-in",
    "LIMIT_GROWS_AND_NOBODY_IS_CALLED": "workers allowed now",
    "PARKS_WITHOUT_A_LOOK": "two arenas",
    "STOPS_WITHOUT_A_CALL": "two arenas, two tasks",
    "LEAVES_WITHOUT_A_CALL": "two arenas, one higher, two tasks",
}


def verify(model, definitions):
    """The number of errors that spin has found, and of states that it has seen."""
    with tempfile.TemporaryDirectory() as folder:
        def run(*command):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout

        run("spin", *definitions, "-a", str(HERE / f"{model}.pml"))
        # SAFETY: no cycles are looked for. COLLAPSE: a third of the memory. Not optimised: to compile takes longer then
        # than most searches.
        parts = ["pan.c"]
        if model == "leaving":
            run("c++", "-std=c++20", *definitions, f"-I{HERE.parents[1] / 'src'}", "-c", str(HERE / "decide.cpp"))
            parts.append("decide.o")
        run("cc", "-w", "-DSAFETY", "-DCOLLAPSE", f"-DMEMLIM={MEMORY_MIB}", "-o", "pan", *parts)
        said = run("./pan", f"-m{DEPTH}")
    errors = re.search(r"errors: (\d+)", said)
    states = re.search(r"(\d+) states, stored", said)
    if not errors or not states:
        raise RuntimeError(f"what pan says is not understood:\n{said}")
    if errors.group(1) == "0" and re.search("Search not completed|search depth too small", said):
        raise RuntimeError(f"not every state was seen:\n{said}")
    return int(errors.group(1)), int(states.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="large places too, for minutes")
    parser.add_argument("--only", metavar="NAME", help="one place or mutant")
    o = parser.parse_args()
    if not shutil.which("spin"):
        print("[  SKIPPED ] spin is not installed")
        sys.exit(77)
    places = {**PLACES, **(LARGE_PLACES if o.long else {})}
    cases = {name: place.split() for name, place in places.items()}
    cases.update({name: [*{**PLACES, **LARGE_PLACES}[place].split(), name] for name, place in MUTANTS.items()})
    if o.only:
        cases = {o.only: cases[o.only]}
    wrong = []
    seen = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = {name: pool.submit(verify, model, ["-D" + d for d in case]) for name, (model, *case) in cases.items()}
        for name, result in results.items():
            errors, states = result.result()
            print(f"{name}: errors: {errors}, {states:,} states", flush=True)
            if (errors != 0) != (name in MUTANTS):
                wrong.append(name)
            elif name not in MUTANTS:
                seen += states
    print(f"{seen:,} states in which it holds")
    if wrong:
        sys.exit(f"wrong: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
