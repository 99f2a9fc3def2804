#!/usr/bin/python3
"""What ./dev simulate makes of its runs: their environment, their failures, the table, the JSON; and of a program's
errors. The runs are scripts: builds nothing. usage: simulate_bench_test.py
"""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "simulate"))
from runner import build, options, report, runs  # noqa: E402  (the path comes first)


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(setattr, build, "BUILD", build.BUILD)
        build.BUILD = self.folder

    def script(self, name, text):
        file = self.folder / name
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)

    def execute(self, *arguments):
        """The runs; what was said about them is in self.said."""
        self.options = options.read(arguments)
        self.said = io.StringIO()
        with contextlib.redirect_stderr(self.said):
            return runs.execute_all(self.options)

    def test_environment(self):
        self.script("all_start_bough", 'env >&2; echo "$1 $SIMULATE_SEED"; exit 7')
        done = self.execute("--only=all_start", "--runtimes=bough-classic", "--cores=8", "--seeds=1", "--prices=0.5")
        lines = set(done[0].report.splitlines())
        self.assertLessEqual({"BOUGH_DISTRIBUTE=steal", "BOUGH_GATE=off", "SIMULATE_CORES=8", "SIMULATE_SEED=1",
                              "SIMULATE_PRICES=0.5"}, lines)
        self.assertFalse([line for line in lines if line.startswith(("HOME=", "XDG_", "BOUGH_PROFILE="))])

    def test_other_runtimes(self):
        self.script("all_start_openmp", 'env >&2; echo "$1 $SIMULATE_SEED"; exit 7')
        done = self.execute("--only=all_start", "--runtimes=openmp-static", "--cores=8", "--seeds=1")
        self.assertIn("KMP_AFFINITY=disabled", done[0].report.splitlines())
        asked = options.read(["--cores=2"]).wanted
        self.assertFalse(set(options.OTHERS) & set(asked["all_start"]))  # only if they are named
        for case in options.CASES:
            can = options.runtimes_of(case)
            if case.startswith(("fib_", "tree_")):
                self.assertFalse({options.HAND, *options.OTHERS} & set(can), case)
            else:
                self.assertLessEqual({options.HAND, *options.SCHEDULES}, set(can), case)

    def test_what_cannot_be_run(self):
        for case, runtimes, wanted in (
                ("all_start", "bough,onetbb", "all_start cannot be run on onetbb; on oneTBB it is run by "
                 "onetbb-static, onetbb-simple, onetbb-auto, onetbb-affinity"),
                ("tree_start", "bough,onetbb-auto", "tree_start cannot be run on onetbb-auto; on oneTBB it is run by onetbb"),
                ("tree_start", "bough,hand", "tree_start cannot be run on hand"),
                ("all_start", "onetbb,onetbb-auto", "all_start cannot be run on onetbb"),
                ("all_start,tree_start", "onetbb", "all_start is left out: onetbb cannot run it; on oneTBB it is run "
                 "by onetbb-static, onetbb-simple, onetbb-auto, onetbb-affinity")):
            for remarks in (True, False):
                said = io.StringIO()
                with contextlib.redirect_stderr(said):
                    options.read([f"--only={case}", f"--runtimes={runtimes}"], remarks)
                self.assertEqual(said.getvalue(), f"simulate: {wanted}\n" if remarks else "")

    def test_mail_is_counted(self):
        for mailed, failures in ((7, 0), (0, 1)):
            self.script("tree_start_bough", 'echo "$1 2000"; echo "starts $1 500 2000"; echo "starts $1 700 4000"; '
                        f'[ "$BOUGH_STATS $BOUGH_MAIL" = "1 letters" ] && echo "bough: spawned 9 mailed {mailed}, ms" >&2')
            done = self.execute("--only=tree_start", "--runtimes=bough-letters", "--cores=8", "--seeds=1")
            self.assertEqual(done[0].counts, {"spawned": 9, "mailed": mailed})
            self.assertEqual(done[0].starts, [600, 3000])
            self.assertEqual(done[0].samples, [2000])
            self.assertEqual(bool(done[0].failure), bool(failures), done[0].failure)

    def test_table_and_json(self):
        self.script("all_start_bough", 'echo "$1 ${SIMULATE_SEED}000"; echo "$1 ${SIMULATE_SEED}000"')
        self.script("all_start_hand", 'echo "$1 50"')
        done = self.execute("--only=all_start", "--runtimes=hand,bough", "--cores=2,8", "--seeds=3")
        self.assertIn("12 of 12 runs, some 0 s left", self.said.getvalue())
        text = report.table(self.options, done)
        self.assertIn("virtual, machine xeon-48", text)
        self.assertEqual(text.count("0.050  2.000 [1.000, 3.000]"), 2, text)
        report.write_json(self.options, done, self.folder / "x.json")
        everything = json.loads((self.folder / "x.json").read_text())
        self.assertTrue(everything["virtual"])
        self.assertIn("prices", everything["machine"])
        self.assertIn([3000, 3000], [run["samples_ns"] for run in everything["runs"]])

    def test_traced_runs_are_others(self):
        self.script("all_start_bough", 'echo "$1 1000"; [ -z "$SIMULATE_TRACE" ] || { echo "$SIMULATE_TRACE" >&2; exit 1; }')
        done = self.execute("--only=all_start", "--runtimes=bough", "--cores=2", "--seeds=2", "--trace", str(self.folder / "t"))
        self.assertEqual([run.samples for run in done], [[1000], [1000], []])
        self.assertIn(f"{self.folder}/t/all_start-bough-2.raw", done[2].failure)

    def test_failures(self):
        self.script("all_start_bough", '[ "$(ulimit -t)" != 1 ] || kill -XCPU $$')
        self.script("all_start_hand", "echo wrong answer >&2; exit 1")
        done = self.execute("--only=all_start", "--runtimes=hand,bough", "--cores=2", "--seeds=1", "--time-limit=1")
        self.assertEqual({run.failure for run in done},
                         {"ended with status 1: wrong answer", "not done in 1 s (--time-limit)"})
        self.assertEqual(report.table(self.options, done).split()[-2:], ["-", "-"])

    def test_reasons(self):
        self.addCleanup(setattr, runs, "IDLE", runs.IDLE)
        runs.IDLE = 1
        for text, words in (("kill -SEGV $$", "ended by signal 11 (Segmentation fault), without a word"),
                            ("exit 3", "ended with status 3, without a word"),
                            ("echo first >&2; echo last >&2; exit 3", "ended with status 3: last"),
                            ("echo 'simulate: no end' >&2; echo last >&2; exit 3", "ended with status 3: simulate: no end"),
                            ("exec sleep 60", "uses no processor for 1 s")):
            self.script("all_start_hand", text)
            done = self.execute("--only=all_start", "--runtimes=hand", "--cores=2", "--seeds=1")
            self.assertIn(words, done[0].failure)
        self.assertFalse(runs.alive)

    def test_one_at_a_time(self):
        held = build.hold()
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            waiting = threading.Thread(target=build.hold)
            waiting.start()
            waiting.join(0.2)
            self.assertTrue(waiting.is_alive())
            held.close()
            waiting.join()
        self.assertIn("waiting for another", said.getvalue())

    def test_machine_files(self):
        file = self.folder / "m.json"
        good = json.loads((ROOT / "simulate" / "machines" / "xeon-48.json").read_text())
        for change, words in ((lambda m: m.update(colour=1), "colour: unknown"),
                              (lambda m: m["prices"].pop("pause"), "prices.pause is missing"),
                              (lambda m: m["prices"].update(tea=m["prices"]["pause"]), "prices.tea: unknown"),
                              (lambda m: m["prices"]["pause"].update(ns=-1), "prices.pause.ns: a number from 0"),
                              (lambda m: m["topology"].update(cores=2), "topology.cores: unknown")):
            bad = json.loads(json.dumps(good))
            change(bad)
            file.write_text(json.dumps(bad))
            said = io.StringIO()
            with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(said):
                options.read(["--machine", str(file)])
            self.assertEqual((ended.exception.code, said.getvalue().count("\n")), (2, 1))
            self.assertIn(words, said.getvalue())

    def test_programs(self):
        source = self.folder / "p.cpp"
        source.touch()
        summary = 'echo "no line end simulate: 12.5 us, 3 accesses, 0 changes" >&2; '
        for name in ("program_bough", "program_onetbb"):
            self.script(name, summary)
        done = self.execute(str(source), "--cores=2", "--seeds=1")
        self.assertEqual([run.samples for run in done], [[12500]] * 3)
        self.assertIn("Some 30 µs of bough's time are its start", report.table(self.options, done).splitlines()[-1])
        done = self.execute(str(source), "--cores=2", "--seeds=1", "--runtimes=onetbb")
        self.assertNotIn("bough's time", report.table(self.options, done))
        self.script("program_bough", summary.replace("no line end ", "") + "exit 2")  # the program's own status
        done = self.execute(str(source), "--cores=2", "--seeds=1", "--runtimes=bough")
        self.assertIn("ended with status 2", done[0].failure)
        self.script("program_bough", "echo 'simulate: fork() is not simulated' >&2; exit 2")
        with self.assertRaises(SystemExit) as ended:
            self.execute(str(source), "--cores=2", "--seeds=1", "--runtimes=bough")
        self.assertEqual(ended.exception.code, 2)
        self.assertIn("p.cpp: fork() is not simulated", self.said.getvalue())

    def test_blame(self):
        failed = "FAILED: CMakeFiles/program_bough.dir/p.cpp.o\n"
        for output, words in (
                ("/d/p.cpp:1:2: error: no type named 'x'\nq.h:1:1: error: y\n", "a/p.cpp: does not compile: p.cpp:1:2: no type"),
                ("simulate: /d/program_bough: 401000 in f(int): syscall\n", "a/p.cpp: cannot be simulated: it has syscall in f(int)"),
                ("ld: p.cpp: undefined reference to `f'\n", "a/p.cpp: does not link: undefined reference to `f'")):
            said = io.StringIO()
            with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(said):
                build.blame("a/p.cpp", failed + output)
            self.assertEqual((ended.exception.code, said.getvalue().count("\n")), (2, 1))
            self.assertIn(words, said.getvalue())
        build.blame("p.cpp", "FAILED: CMakeFiles/simulated_bough.dir/x.cpp.o\nx.cpp:1:1: error: ours\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
