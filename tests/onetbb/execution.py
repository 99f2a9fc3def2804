"""One test in one mode: which binary, on which library, with how many threads, and how long it may take."""

import dataclasses
import os
import re

import ending

# A test hangs when for so long none of its threads has run, or when it takes so many times as long as on oneTBB's
# library, and a minute more. On a machine that has other things to do, these are waited for as well.
ASLEEP_S = 60
LEAST_PATIENCE_S = 60
TIMES_ONETBB = 4
KNOWN_HANG_S = 5


@dataclasses.dataclass(frozen=True)
class Mode:
    """A column of the table."""

    engine: str   # onetbb, library, recompiled
    threads: str  # 1, 2, 8: BOUGH_NUM_THREADS; cpus: as many as there are; one_cpu: on one of them

    @property
    def heading(self):
        return f"{self.engine}/{self.threads}"

    @property
    def binaries(self):
        return "compat" if self.engine == "recompiled" else "onetbb"


# oneTBB's library takes as many threads as it finds CPUs, and has no variable that says otherwise.
MODES = [Mode("onetbb", "cpus"), Mode("onetbb", "one_cpu")] + [
    Mode(engine, threads)
    for engine in ("library", "recompiled")
    for threads in ("cpus", "1", "2", "8", "one_cpu")]
SUBSET_MODES = [mode for mode in MODES if not mode.threads.isdigit()]


def first_cpu():
    return str(min(os.sched_getaffinity(0)))


def load_per_cpu():
    return max(1, os.getloadavg()[0] / len(os.sched_getaffinity(0)))


def pattern(case):
    """Of doctest, for which a comma ends a name."""
    return case.replace(",", "?")


class Runner:
    def __init__(self, tests, onetbb, bough):
        self.tests = tests
        self.libraries = {"onetbb": onetbb / "lib", "library": bough, "recompiled": bough}
        self.onetbb_s = {}

    def run(self, name, mode, only=None, without=(), known_hang=False):
        """only: one case alone; without: these left out."""
        command = [str(self.tests / mode.binaries / name)]
        if only:
            command.append("--test-case=" + pattern(only))
        if without:
            command.append("--test-case-exclude=" + ",".join(map(pattern, without)))
        if mode.threads == "one_cpu":
            command = ["taskset", "-c", first_cpu()] + command
        patience_s, asleep_s = (KNOWN_HANG_S, KNOWN_HANG_S) if known_hang else (self._patience(name), ASLEEP_S)
        outcome = ending.run(command, self._environment(mode), patience_s * load_per_cpu(), asleep_s)
        if only and re.search(r"test cases: *0 ", outcome.output):
            outcome = ending.Outcome("fail", outcome.seconds, f"ERROR: it has no case {only}")
        if mode.engine == "onetbb":
            self.onetbb_s[name] = max(outcome.seconds, self.onetbb_s.get(name, 0))
        return outcome

    def _environment(self, mode):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("BOUGH_", "TBB_"))}
        environment["LD_LIBRARY_PATH"] = str(self.libraries[mode.engine])
        if mode.threads.isdigit():
            environment["BOUGH_NUM_THREADS"] = mode.threads
        return environment

    def _patience(self, name):
        return LEAST_PATIENCE_S + TIMES_ONETBB * self.onetbb_s.get(name, 0)
