#!/usr/bin/env python3
"""Slots are in the machine's order, and the nearest workers are asked first, though no thread is bound to a core and the
system starts them all over the machine. Fast cores get more units than slow ones, and a short
scan few threads. usage: seats_test.py SEATS"""

import pathlib
import subprocess
import sys
import unittest

MACHINES = pathlib.Path(__file__).resolve().parents[2] / "simulate/machines"
FIRST_SLOW = 8  # of hybrid-16; slow cores take 1.5 times as long
CORES, BEHIND_A_CACHE = 48, 12


def seats(seed, machine="opteron-48"):
    """What the program printed: for each kind of loop the pairs, sorted."""
    done = subprocess.run([program], env={"SIMULATE_MACHINE": str(MACHINES / f"{machine}.json"), "SIMULATE_SCATTER": "1",
                                          "SIMULATE_SEED": str(seed)}, capture_output=True, text=True, check=True)
    lines = (line.split() for line in done.stdout.splitlines())
    return {words[0]: sorted(tuple(map(int, word.split(":"))) for word in words[1:]) for words in lines}


def neighbours_behind_one_cache(pairs):
    caches = [core // BEHIND_A_CACHE for _, core in pairs]
    return sum(one == next_one for one, next_one in zip(caches, caches[1:]))


class Seats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.of = [seats(seed) for seed in (1, 2, 3)]

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

    # When the time that the front waits for its claims counted as work, 19 to 30 threads got into each other's way.
    def test_a_short_scan_has_as_many_threads_as_it_is_worth(self):
        for seed in (1, 2):
            scan = seats(seed, "xeon-48")["scan"]
            self.assertEqual(sum(numbers for _, numbers in scan), 32768)
            self.assertGreaterEqual(len(scan), 4, scan)
            self.assertLess(len(scan), 14, scan)

    def test_static_loops_visit_each_unit_once_wherever_the_caller_is(self):
        for of in self.of:
            self.assertEqual(of["fixed"], [(unit, 20) for unit in range(CORES)])

    def test_fast_cores_are_given_more(self):
        for seed in (1, 2):
            shares = seats(seed, "hybrid-16")["shares"]
            fast = [units for core, units in shares if 0 < core < FIRST_SLOW]  # without the caller
            slow = [units for core, units in shares if core >= FIRST_SLOW][:-1]  # the last one may have come late
            self.assertGreaterEqual(min(len(fast), len(slow)), 3, shares)
            self.assertGreater(min(fast), 1.3 * max(slow), shares)
            equal = [units for _, units in seats(seed, "xeon-16")["shares"]]
            self.assertEqual(min(equal), max(equal))


if __name__ == "__main__":
    program = sys.argv.pop()
    unittest.main()
