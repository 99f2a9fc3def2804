#!/usr/bin/python3
"""What ./dev refuses, and what it says where it can do nothing; what test --only chooses. Builds nothing. usage: dev_test.py BUILD

BUILD is a configured tree. If it has bough-calibrate, the help of that and ./dev's are held against each other.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def dev(*arguments, **changes):
    return subprocess.run([ROOT / "dev", *arguments], capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, **changes})


class Dev(unittest.TestCase):
    def refused(self, words, *arguments, **changes):
        """One line that begins with the words, and exit status 2."""
        done = dev("--no-install", *arguments, **changes)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(words, done.stderr)

    def test_wrong_values(self):
        for given in (["--preset", "x"], ["--preset=x"]):
            self.refused("unknown preset 'x'; allowed: release, debug", "test", *given)
            self.refused("unknown preset 'x'; allowed: release, debug", "test", "--onetbb", *given)
        for given in (["--only", "["], ["--only=["]):
            self.refused("--only '[': allowed is a regular expression", "test", *given)
        self.refused("--only wants a regular expression", "test", "--only=")
        self.refused("unknown option '--long=3'", "test", "--long=3")
        for given in (["--seconds", "1.5"], ["--seconds=1.5"]):
            self.refused("--seconds 1.5: allowed is a whole number from 1", "fuzz", *given)
        self.refused("--only x: allowed is one of", "fuzz", "--only=x")
        self.refused("install wants --prefix DIR", "install", "--prefix=")
        self.refused("--threads 1: allowed is a whole number from 2", "calibrate", "--threads=1")
        self.refused("BOUGH_JOBS x: allowed is a whole number", "format", BOUGH_JOBS="x")
        self.refused("unknown verb 'x'; allowed: setup", "x")

    def test_simulate(self):
        for given in (["--machine", "x"], ["--machine=x"]):
            self.refused("unknown machine 'x'; allowed: ", "simulate", *given)
        self.refused("--cores: 49 are more than xeon-48 has; allowed are 1 to 48", "simulate", "--cores=2,49")
        self.refused("--cores: 'x' is not a whole number from 1", "simulate", "--cores", "2,x")
        self.refused("unknown case 'x'; allowed: all_start", "simulate", "--only=x")
        self.refused("unknown runtime 'x'; allowed: hand, bough, ", "simulate", "--runtimes=x")
        self.refused("--runtimes: onetbb cannot run all_start; allowed: ", "simulate", "--only=all_start", "--runtimes=onetbb")
        self.refused("--seeds: '0' is not a whole number from 1", "simulate", "--seeds=0")
        self.refused("--prices: '99' is not a number from 0.1 to 10", "simulate", "--prices=1,99")
        self.refused("--plot: 'x' is not a name that ends in .png", "simulate", "--plot=x")
        self.refused("--json: /no/x: there is no such folder", "simulate", "--json=/no/x")
        self.refused("unknown option '--x'; allowed: --help, --machine", "simulate", "--x")
        self.refused("no.cpp: no such program", "simulate", "no.cpp")
        self.refused("'b.cpp' is one program too many", "simulate", "a.cpp", "b.cpp")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "m.json")
            for text, words in (("[", "not JSON"), ("{}", "topology: wanted are numbers"),
                                ("""{"topology": {"packages": 2, "cores_per_cache": 600}}""", "topology: allowed are 1 to 1024")):
                file.write_text(text)
                self.refused(f"{file}: {words}", "simulate", "--machine", file)

    def test_helps(self):
        self.assertIn("--only REGEX", dev("test", "--help").stdout)
        self.assertIn("--seeds N", dev("simulate", "--help").stdout)
        done = dev("calibrate", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))  # it would say that it builds
        calibrate = build / "bin/bough-calibrate"
        if calibrate.exists():
            theirs = subprocess.run([calibrate, "--help"], capture_output=True, text=True, check=True).stdout
            options = [set(re.findall(r"^ +(?:-h,)?(--\w+)", text, re.MULTILINE)) - {"--help"}
                       for text in (theirs, done.stdout)]
            self.assertEqual(*options)

    def only(self, regex):
        done = subprocess.run([sys.executable, ROOT / "tests/support/only.py", build, regex], capture_output=True,
                              text=True, check=True)
        return done.stdout.splitlines()

    def test_only(self):
        self.assertEqual(self.only("^unit.threads_[38]$"),
                         ["bin/bough_unit_tests", "^(unit\\.threads_3|unit\\.threads_8)$", ""])
        self.assertEqual(self.only("^scripts.parse$"), ["", "^(scripts\\.parse)$", ""])
        self.assertIn("bough_static", self.only("^package.PkgConfig$")[0].split())
        targets, tests, cases = self.only("api_feeder.grows_a_tree")
        self.assertEqual(targets, "bin/bough_unit_tests")
        self.assertRegex("unit.threads_3", tests)
        self.assertEqual(cases.split(":")[0], "api_feeder.grows_a_tree")
        with self.assertRaises(subprocess.CalledProcessError):
            self.only("no test has this name")

    def test_without_dpkg(self):
        with tempfile.TemporaryDirectory() as folder:
            for place in ("/usr/bin", "/bin"):
                for program in pathlib.Path(place).iterdir():
                    link = pathlib.Path(folder, program.name)
                    if not re.match("dpkg|apt|clang-format", program.name) and not link.is_symlink():
                        link.symlink_to(program)
            done = dev("format", "--check", PATH=folder)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, "dev: no apt and dpkg here; install by hand what Debian calls clang-format-19\n")


if __name__ == "__main__":
    build = pathlib.Path(sys.argv.pop(1))
    unittest.main(verbosity=2)
