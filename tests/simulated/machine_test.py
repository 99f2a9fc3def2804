#!/usr/bin/env python3
"""The virtual machine itself: cores of two speeds, what a machine's file may say, the end of the main thread.
usage: machine_test.py MACHINE_CHECKS"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from run import NOT_REPEATABLE

MACHINES = pathlib.Path(__file__).resolve().parents[2] / "simulate/machines"
HYBRID = MACHINES / "hybrid-16.json"
CLOCK_NS = 100  # what reading the clock may add to a loop's time


def run(machine, *words):
    done = subprocess.run([program, *words], env={"SIMULATE_MACHINE": str(machine)}, capture_output=True, text=True,
                          check=False)
    # As in a container that forbids to fix addresses.
    done.stderr = "".join(line for line in done.stderr.splitlines(keepends=True) if NOT_REPEATABLE not in line)
    return done


class Machine(unittest.TestCase):
    def time_on(self, core, machine=HYBRID):
        done = run(machine, "computes", str(core))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return int(done.stdout)

    def test_a_slow_core_computes_slower_by_its_factor(self):
        slow = json.loads(HYBRID.read_text())["slow_cores"]
        fast = self.time_on(slow["first"] - 1)
        self.assertGreater(fast, 100 * CLOCK_NS)
        self.assertAlmostEqual(self.time_on(0), fast, delta=CLOCK_NS)
        for core in (slow["first"], slow["last"]):
            self.assertAlmostEqual(self.time_on(core), slow["factor"] * fast, delta=CLOCK_NS)

    def test_cores_are_equal_where_the_file_says_nothing(self):
        xeon = MACHINES / "xeon-48.json"
        self.assertAlmostEqual(self.time_on(0, xeon), self.time_on(47, xeon), delta=CLOCK_NS)

    def test_a_prefetched_line_comes_while_the_core_goes_on(self):
        done = run(MACHINES / "xeon-48.json", "reads")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        never, long_before, just_before = map(float, done.stdout.split())
        self.assertGreater(never, long_before + 20)
        self.assertLess(long_before, just_before)
        self.assertLess(just_before, never)

    def test_each_machine_is_read(self):
        for machine in sorted(MACHINES.glob("*.json")):
            self.assertGreater(self.time_on(0, machine), 0)

    def test_bad_files_are_refused_in_one_line(self):
        good = json.loads(HYBRID.read_text())
        wanted = 'slow_cores: wanted is {"first": ..., "last": ..., "factor": ..., "origin": "..."}'
        missing = object()
        for path, value, words in (
                ("slow_cores", 3, wanted),
                ("slow_cores", {}, wanted),
                ("slow_cores/origin", "", wanted),
                ("slow_cores/origin", 5, wanted),
                ("slow_cores/last", missing, wanted),
                ("slow_cores/more", 1, wanted),
                ("slow_cores/first", -1, "slow_cores.first: allowed are 0 to 15"),
                ("slow_cores/first", "8", "slow_cores.first: allowed are 0 to 15"),
                ("slow_cores/last", 16, "slow_cores.last: allowed are 8 to 15"),
                ("slow_cores/last", 7, "slow_cores.last: allowed are 8 to 15"),
                ("slow_cores/factor", 1, "slow_cores.factor: allowed is more than 1, and at most 100"),
                ("slow_cores/factor", 101, "slow_cores.factor: allowed is more than 1, and at most 100"),
                ("slow_cores/factor", "2", "slow_cores.factor: allowed is more than 1, and at most 100"),
                ("slow", 1, "slow: unknown; allowed are name, ghz, topology, prices, slow_cores"),
                ("topology", missing, "topology is missing"),
                ("topology/threads", 2, "topology.threads: unknown; allowed are packages, "),
                ("prices/pause", missing, "prices.pause is missing"),
                ("prices/rest", {"ns": 1, "origin": "none"}, "prices: has 25 entries, 24 are known"),
                ("prices/pause/ns", -1, "prices.pause.ns: allowed are 0 to 1e+09"),
                ("prices/write.same_cache/origin", "", 'prices.write.same_cache: wanted is {"ns": ..., "origin": "..."}')):
            text = copy.deepcopy(good)
            *folders, last = path.split("/")
            place = text
            for folder in folders:
                place = place[folder]
            if value is missing:
                del place[last]
            else:
                place[last] = value
            with self.subTest(path=path, value=value), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "machine.json")
                file.write_text(json.dumps(text))
                done = run(file, "computes", "0")
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertTrue(done.stderr.startswith(f"simulate: {file}: {words}"), done.stderr)

    def test_objects_of_static_constructors_end_with_the_main_thread(self):
        done = run(HYBRID, "ends")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "main() returns\na thread_local object of a static constructor ended\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = str(pathlib.Path(sys.argv.pop()).resolve())
    unittest.main()
