#!/usr/bin/env python3
"""Slots are in the machine's order, and the nearest workers are asked first, though no thread is bound to a core and the
system starts them all over the machine. usage: seats_test.py SEATS"""

import pathlib
import subprocess
import sys
import unittest

MACHINE = pathlib.Path(__file__).resolve().parents[2] / "simulate/machines/opteron-48.json"
CORES, BEHIND_A_CACHE = 48, 12


def seats(seed):
    """What the program printed: for each kind of loop the pairs of slot and core, by slot."""
    done = subprocess.run([program], env={"SIMULATE_MACHINE": str(MACHINE), "SIMULATE_SCATTER": "1",
                                          "SIMULATE_SEED": str(seed)}, capture_output=True, text=True, check=True)
    lines = (line.split() for line in done.stdout.splitlines())
    return {words[0]: sorted(tuple(map(int, word.split(":"))) for word in words[1:]) for words in lines}


def neighbours_behind_one_cache(pairs):
    caches = [core // BEHIND_A_CACHE for _, core in pairs]
    return sum(one == next_one for one, next_one in zip(caches, caches[1:]))


class Seats(unittest.TestCase):
    def setUp(self):
        self.of = [seats(seed) for seed in (1, 2, 3)]

    def test_before_anything_is_known_workers_sit_as_they_come(self):
        for of in self.of:  # else the other tests say nothing
            self.assertEqual(len(of["first"]), CORES)
            self.assertLess(neighbours_behind_one_cache(of["first"]), CORES / 2)

    def test_slots_are_in_the_order_of_the_machine(self):
        for of in self.of:
            self.assertEqual(len(of["all"]), CORES)
            self.assertEqual([slot for slot, _ in of["all"]], list(range(CORES)))
            self.assertGreaterEqual(neighbours_behind_one_cache(of["all"]), 40, of["all"])  # 44 are possible

    def test_the_nearest_are_woken(self):
        for of in self.of:
            self.assertLess(max(core for _, core in of["woken"]), BEHIND_A_CACHE, of["woken"])

    def test_a_small_team_is_behind_its_callers_cache(self):
        for of in self.of:
            near = sum(core < BEHIND_A_CACHE for _, core in of["team"])
            self.assertGreaterEqual(near, BEHIND_A_CACHE - 1, of["team"])


if __name__ == "__main__":
    program = sys.argv.pop()
    unittest.main()
