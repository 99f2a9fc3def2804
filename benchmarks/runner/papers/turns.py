"""Runs of Google Benchmark's binaries in turn, and what single programs print."""

import contextlib
import copy
import json
import os
import subprocess

from .. import measure, variants
from ..results import Results


class Turns:
    """What measure.rounds() wants to know: the cases of each runtime; no start latency, no first calls."""
    start, first = None, []

    def __init__(self, runtimes, cases, offered):
        self.cases = cases
        self.offered = {r: [c for c in cases if c in offered[r]] for r in runtimes}
        self.first_of = {r: [] for r in runtimes}


def with_threads(o, threads):
    other = copy.copy(o)
    other.threads, other.crowded = threads, threads > o.cpus
    return other


def in_turn(o, runtimes, cases, rounds, budget_s=None):
    """Results after that many rounds, in each of which every runtime runs each case once; or after fewer, when the time is
    up, unless --rounds or --full was given."""
    o = copy.copy(o)
    o.runtimes, o.rounds, o.processes = runtimes, rounds, 0
    o.budget_s = None if o.full or o.asked_rounds else budget_s
    results = Results(o, cases, [])
    results.settings["rounds"] = 0
    programs = {variants.program(r): None for r in runtimes}
    listed = {program: measure.list_cases(o, program) for program in programs}
    measure.rounds(o, Turns(runtimes, cases, {r: listed[variants.program(r)] for r in runtimes}), results)
    return results


def cases_of(o, runtime, starts):
    """The runtime's cases whose names begin so."""
    return [case for case in measure.list_cases(o, runtime) if case.startswith(tuple(starts))]


def printed(o, program, arguments, runtime="", limit_s=300, launcher=()):
    """What bin/bench_<program> prints, and what it says on stderr."""
    command = [*launcher, str(o.build / f"bin/bench_{program}"), *map(str, arguments)]
    try:
        done = subprocess.run(command, env=measure.environment(o, runtime), capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise measure.Failure(f"{program} {runtime} did not end within {limit_s} s")
    if done.returncode != 0:
        raise measure.Failure(f"{program} {runtime} ended with {done.returncode}: {measure.last_line(done.stderr)}")
    return done.stdout, done.stderr


def printed_json(*arguments, **more):
    out, _ = printed(*arguments, **more)
    try:
        return json.loads(out)
    except ValueError as error:
        raise measure.Failure(f"{arguments[1]}: not JSON: {error}")


def complaint(o, variant):
    """What this build lacks for the variant, or says of its settings when it does not know them; None when it does."""
    if variants.missing(variant, o.build):
        return f"no {variants.missing(variant, o.build)}"
    _, errors = printed(o, "starts_bough", ["loop", 1], variant)
    lines = [line for line in errors.splitlines() if line.startswith("bough: BOUGH_")]
    return lines[0] if lines else None


def known_variants(o, part, runtimes):
    """Those that this build has; of the others the part says that they are missing."""
    found = []
    for runtime in runtimes:
        said = complaint(o, runtime) if runtime in variants.ENVIRONMENTS else None
        if said:
            part.say(f"Left out: {runtime}, which this build does not know (`{said}`).")
        else:
            found.append(runtime)
    return found


@contextlib.contextmanager
def counting():
    """bough counts events meanwhile."""
    before = os.environ.get("BOUGH_STATS")
    os.environ["BOUGH_STATS"] = "1"
    try:
        yield
    finally:
        del os.environ["BOUGH_STATS"]
        if before is not None:
            os.environ["BOUGH_STATS"] = before
