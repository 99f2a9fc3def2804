#!/usr/bin/env python3
"""What ends a run of several ranks: one that is killed, stopped, throws, or was given other arguments. Within 10 s, with a
message that names the rank. usage: lost_rank_test.py PROGRAM MPIEXEC [OPTION...]"""

import signal
import sys
import time
import unittest

import mpi_runs

RANKS = 4


def start(*arguments):
    return mpi_runs.start(mpiexec, RANKS, program, *arguments)


class Lost(mpi_runs.Ending):
    def searching(self):
        run = start("forever")
        self.assertEqual(run.stdout.readline(), "searching\n")
        return run

    def test_a_killed_rank(self):
        self.assert_names_the_killed(self.strike(self.searching(), signal.SIGKILL))

    def test_a_stopped_rank(self):
        self.assert_names_the_stopped(self.strike(self.searching(), signal.SIGSTOP))

    def test_a_rank_that_throws(self):
        begin = time.monotonic()
        self.assertIn("bough: rank 2: its file has no line 3", self.ended(start("throws", "2"), begin))

    def test_other_arguments(self):
        begin = time.monotonic()
        said = self.ended(start("disagree", "1"), begin)
        self.assertIn("bough: the ranks were given different arguments\n  rank 0: --budget 5\n  rank 1: --budget 7\n", said)
        self.assertNotIn("rank 2:", said)


if __name__ == "__main__":
    program, *mpiexec = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
