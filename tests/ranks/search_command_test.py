#!/usr/bin/env python3
"""bough-search under mpirun: who speaks, what is refused, and what ends a run.
usage: search_command_test.py BOUGH_SEARCH PROGRAM MPIEXEC [OPTION...]"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))
import mpi_runs  # noqa: E402

RANKS = 4


def run(*arguments, ranks=RANKS):
    return subprocess.run([*mpiexec, "-n", str(ranks), search, *arguments], capture_output=True, text=True, timeout=120,
                          check=False)


class Command(unittest.TestCase):
    def test_json_is_of_rank_0_and_has_all_ranks(self):
        done = run("semigroups", "--genus", "20", "--policy", "two-choices", "--budget", "100", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual(said["answer"]["semigroups"], 37396)
        self.assertEqual(said["policy"], "two-choices")
        self.assertEqual([r["rank"] for r in said["ranks"]], list(range(RANKS)))
        for name, total in said["counters"].items():
            self.assertEqual(total, sum(r["counters"][name] for r in said["ranks"]), name)
        self.assertEqual(said["counters"]["spawned"], said["counters"]["executed"])
        for r in said["ranks"]:  # by default a steal takes one task
            self.assertEqual(r["steals"], r["failed_steals"] + r["unanswered_steals"] + r["tasks_taken"])
        self.assertEqual(sum(r["tasks_given"] for r in said["ranks"]), sum(r["tasks_taken"] for r in said["ranks"]))

    # One thread for each rank: a rank makes a task only when another one has asked for it.
    def test_every_policy_gets_tasks_from_stack_stealing(self):
        shown = run("uts", "--policy", "none", ranks=2).stderr
        policies = shown[shown.index("{") + 1:shown.index("}")].split(",")
        self.assertIn("performance-as-coded", policies)
        for policy in policies:
            with self.subTest(policy=policy):
                done = run("semigroups", "--genus", "29", "--threads", "1", "--skeleton", "stack-stealing", "--policy", policy,
                           "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertGreater(json.loads(done.stdout)["counters"]["remote"], 0)

    # mpirun looks for its own options, such as --tune, behind the program's name as well.
    def test_mpirun_takes_no_option_away(self):
        done = run("semigroups", "--genus", "15", "--seed", "3", "--set", "tasks_per_steal=2", "--set", "lost_after_us=0",
                   "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout)["answer"]["semigroups"], 2857)

    def test_text_is_said_once(self):
        done = run("clique", "hamming8-4", "--skeleton", "depth-bounded", ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("a clique of 16 vertices"), 1)
        self.assertIn("\n2 ranks, random\nrank 0: ", done.stdout)
        self.assertIn("\nrank 1: ", done.stdout)

    def test_one_process_needs_no_mpirun(self):
        done = subprocess.run([search, "semigroups", "--genus", "15", "--json"], capture_output=True, text=True,
                              timeout=60, check=True)
        said = json.loads(done.stdout)
        self.assertEqual(said["answer"]["semigroups"], 2857)
        self.assertNotIn("ranks", said)

    def test_one_process_has_no_ranks_to_steal_from(self):
        for option in ["--policy", "random"], ["--seed", "1"], ["--set", "tasks_per_steal=2"]:
            done = subprocess.run([search, "uts", *option], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"bough-search: {option[0]} is for several ranks, which mpirun starts", done.stderr)

    def refused(self, message, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("bough-search:"), 1, done.stderr)
        self.assertIn(message, done.stderr)

    def test_a_bad_file_is_named_with_its_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".clq") as file:
            file.write("p edge 3 2\ne 1 2\ne 1 x\n")
            file.flush()
            self.refused(f"{file.name}:3: vertex 'x'", "clique", file.name)
        self.refused("/no/such/file: no such file", "knapsack", "/no/such/file")

        self.refused("brock300_1: no such file, and no graph of that name", "clique", "brock300_1")
        self.refused("/tmp: is a directory", "clique", "/tmp")

    def test_what_is_allowed_is_said(self):
        self.refused("performance-no-auxiliary", "uts", "--policy", "best")
        self.refused("back_off_first_us", "uts", "--set", "patience=3")
        self.refused("flat_broadcast", "uts", "--set", "flat_broadcast=-1")
        self.refused("--set: tasks_per_steal is set twice", "uts", "--set", "tasks_per_steal=2", "--set",
                     "tasks_per_steal=3")
        self.refused("back_off_first_us: 600000 is more than back_off_cap_us, 500000", "uts", "--set",
                     "back_off_first_us=600000")
        self.refused("lost_after_us: 1500000 is neither 0 nor at least twice alive_every_us, 1000000", "uts", "--set",
                     "lost_after_us=1500000")
        self.refused("--skeleton sequential runs on one rank, and there are 4", "uts", "--skeleton", "sequential")

        self.refused("--depth is for --skeleton depth-bounded or ordered, not for budget", "uts", "--depth", "3")
        self.refused("0 to 4294967295", "uts", "--skeleton", "ordered", "--depth", "-1")
        self.refused("-1 not in range 1 to", "uts", "--budget", "-1")
        self.refused("0 to 1000000", "uts", "--progress", "-1")
        self.refused("--target: Value -5 not in range 1 to 4096", "clique", "hamming8-4", "--target", "-5")
        self.refused("'nosuch' is no search; there are uts, semigroups, clique, knapsack, tsp, queens", "nosuch")
        self.refused("no search is named; there are uts", "--json")

    def test_other_arguments(self):
        done = subprocess.run([*mpiexec, "-n", "1", search, "uts", "--budget", "5", ":", "-n", "2", search, "uts",
                               "--budget", "7"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("bough: the ranks were given different arguments\n  rank 0: uts --budget 5\n  rank 1: uts --budget 7\n"
                      "  rank 2: uts --budget 7\n", done.stderr)


class Lost(mpi_runs.Ending):
    def ended(self, run, begin, most_s=10):
        said = super().ended(run, begin, most_s)
        self.assertNotIn("nodes visited", said)  # no answer
        return said

    def searching(self):
        run = mpi_runs.start(mpiexec, RANKS, search, "uts", "--tree", "T3L", "--progress", "1")
        self.assertIn("bough-search: rank 0: 1 s:", run.stdout.readline())
        return run

    def test_a_killed_rank(self):
        self.assert_names_the_killed(self.strike(self.searching(), signal.SIGKILL))

    def test_a_stopped_rank(self):
        self.assert_names_the_stopped(self.strike(self.searching(), signal.SIGSTOP))

    def test_a_visit_that_throws(self):
        begin = time.monotonic()
        said = self.ended(mpi_runs.start(mpiexec, RANKS, program, "throws", "1"), begin)
        self.assertIn("bough: rank 1: its visit has thrown", said)


class Different(mpi_runs.Ending):
    def said_by(self, ranks, *arguments):
        return self.ended(mpi_runs.start(mpiexec, ranks, program, "differs", *arguments), time.monotonic(), most_s=5)

    def test_other_numbers_of_searches(self):
        for ranks in 2, 4:
            last = ranks - 1
            for of, others, rank, does in [
                    ("e", "", 0, r"rank \d has ended while rank 0 searches"),
                    ("e", "ee", 0, r"rank 0 has ended while rank \d searches"),
                    ("e", "ee", last, f"rank {last} has ended while rank 0 searches"),
                    ("eee", "ee", last, f"rank 0 has ended while rank {last} searches"),
                    ("b", "e", last, f"rank {last} broadcasts while rank 0 searches")]:
                with self.subTest(ranks=ranks, of=of, others=others, rank=rank):
                    said = self.said_by(ranks, of, others, str(rank))
                    self.assertRegex(said, f"bough: {does}: all ranks make the same searches and broadcasts")
                    self.assertEqual(said.count("bough: "), 1, said)

    def test_another_search(self):
        said = self.said_by(RANKS, "m", "f", "0")
        self.assertIn("a task of another size than a node; all ranks make the same searches", said)

    def test_a_number_that_is_thrown(self):
        said = self.said_by(RANKS, "t", "f", "2")
        self.assertIn("bough: rank 2: an exception that is no std::exception", said)

    def test_a_join_that_throws(self):
        said = self.said_by(2, "x", "x", "0")
        self.assertIn("bough: rank 0: its join has thrown", said)

    def test_a_rank_that_is_stopped_in_its_own_code(self):
        for others in "ef", "e":  # they search; they have ended
            with self.subTest(others=others):
                run = mpi_runs.start(mpiexec, RANKS, program, "differs", "eh", others, "2")
                said = self.strike(run, signal.SIGSTOP)
                self.assertIn("rank 3 has not heard from rank 2 for 1.5 s", said)
                self.assertEqual(said.count("bough: "), 1, said)

    def waited_for(self, ranks, *arguments):
        done = subprocess.run([*mpiexec, "-n", str(ranks), program, "differs", *arguments], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)

    def test_a_slow_rank_is_waited_for(self):
        self.waited_for(4, "sese", "ee", "2")

    def test_a_rank_that_joins_is_waited_for(self):
        self.waited_for(2, "j", "j", "0")


if __name__ == "__main__":
    search, program, *mpiexec = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
