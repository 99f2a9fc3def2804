"""Runs of several ranks under mpirun, for tests: how they end, and their processes."""

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest


class Ending(unittest.TestCase):
    """Tests of what ends a run."""

    def ended(self, run, begin, most_s=10):
        """What it said; the run failed in time, and no process of it is left."""
        try:
            said = run.communicate(timeout=30)[0]
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            self.fail("the run did not end")
        took = time.monotonic() - begin
        self.assertNotEqual(run.returncode, 0, said)
        self.assertLess(took, most_s, said)
        print(f"{self.id().split('.')[-1]}: ended after {took:.1f} s", file=sys.stderr)
        return said

    def strike(self, run, number):
        """The same, after rank 2 of a run that is at work was sent a signal."""
        time.sleep(1.5)  # each has heard from the one before it
        victim = ranks_of(run)[2]
        begin = time.monotonic()
        os.kill(victim, number)
        return self.ended(run, begin)

    def assert_names_the_killed(self, said):
        self.assertRegex(said, r"rank 2 .*signal 9|Killed \(signal 9\)")  # Open MPI, MPICH

    def assert_names_the_stopped(self, said):
        self.assertIn("rank 3 has not heard from rank 2 for 8 s", said)
        self.assertEqual(said.count("has not heard"), 1, said)  # mpirun continues rank 2 to end it, and that blames no rank


def start(mpiexec, ranks, *command):
    return subprocess.Popen([*mpiexec, "-n", str(ranks), *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, start_new_session=True)


def ranks_of(run):
    """rank -> process, by the environment that the launcher gives each."""
    found = {}
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            variables = dict(v.split("=", 1) for v in (place / "environ").read_text().split("\0") if "=" in v)
        except OSError:  # it has ended
            continue
        rank = variables.get("OMPI_COMM_WORLD_RANK", variables.get("PMI_RANK"))
        if rank is not None and descends_from(int(place.name), run.pid):
            found[int(rank)] = int(place.name)
    return found


def descends_from(process, ancestor):
    while process not in (0, ancestor):
        try:
            process = int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            return False
    return process == ancestor
