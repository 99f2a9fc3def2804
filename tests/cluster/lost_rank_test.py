#!/usr/bin/env python3
"""What ends a run of several ranks: one that is killed, stopped, throws, or was given other arguments. Within 10 s, with a
message that names the rank. usage: lost_rank_test.py PROGRAM MPIEXEC [OPTION...]"""

import os
import signal
import subprocess
import sys
import time
import unittest

from mpi_runs import ranks_of

RANKS = 4


def start(*arguments):
    return subprocess.Popen([*mpiexec, "-n", str(RANKS), program, *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True)


class Lost(unittest.TestCase):
    def ends(self, run, begin, most_s=10):
        """What it said; the run failed, and no process of it is left."""
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

    def strike(self, number):
        run = start("forever")
        self.assertEqual(run.stdout.readline(), "searching\n")
        time.sleep(1.5)  # each has heard from the one before it
        victim = ranks_of(run)[2]
        begin = time.monotonic()
        os.kill(victim, number)
        return self.ends(run, begin)

    def test_a_killed_rank(self):
        self.assertRegex(self.strike(signal.SIGKILL), r"rank 2 .*signal 9|Killed \(signal 9\)")  # Open MPI, MPICH

    def test_a_stopped_rank(self):
        self.assertIn("rank 3 has not heard from rank 2 for 8 s", self.strike(signal.SIGSTOP))

    def test_a_rank_that_throws(self):
        begin = time.monotonic()
        self.assertIn("bough: rank 2: its file has no line 3", self.ends(start("throws", "2"), begin))

    def test_other_arguments(self):
        begin = time.monotonic()
        said = self.ends(start("disagree", "1"), begin)
        self.assertIn("the ranks were given different arguments\n  rank 0: --budget 5\n  rank 1: --budget 7\n", said)
        self.assertNotIn("rank 2:", said)


if __name__ == "__main__":
    program, *mpiexec = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
