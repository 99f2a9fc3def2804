#!/usr/bin/python3
"""What ./dev refuses, and what it says where it can do nothing; what test --only chooses; that its verbs go in any order. Builds
nothing of bough. usage: dev_test.py BUILD

BUILD is a configured tree. If it has bough-calibrate, the help of that and ./dev's are held against each other.
"""

import os
import pathlib
import re
import shutil
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
        self.refused("unknown option '--x'; allowed: --aarch64, --mpi", "setup", "--mpi", "--x")
        self.refused("install wants --prefix DIR", "install", "--prefix=")
        self.refused("--threads 1: allowed is a whole number from 2", "calibrate", "--threads=1")
        self.refused("BOUGH_JOBS x: allowed is a whole number", "format", BOUGH_JOBS="x")
        self.refused("unknown verb 'x'; allowed: setup", "x")

    def test_bench(self):
        """Refused before anything is built."""
        for given in (["--profile", "nosuchfile"], ["--profile=nosuchfile"]):
            self.refused("dev bench: --profile: 'nosuchfile': No such file or directory; allowed is 'default', or",
                         "bench", *given)
        self.refused("--profile: '.': Is a directory; allowed is 'default'", "bench", "--profile=.")
        self.refused("dev' is no profile of bough; allowed is 'default'", "bench", "--profile", ROOT / "dev")
        self.refused("--profile: expected one argument", "bench", "--profile")

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
        self.assertIn("--profile FILE", dev("bench", "--help").stdout)
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


class Order(unittest.TestCase):
    """./dev in a checkout with its scripts, presets and options, whose targets are empty."""

    TARGETS = """
        foreach(name IN ITEMS bough bough_static bough_tbb bough-run)
          add_custom_target(${name})
        endforeach()
        if(BOUGH_BUILD_CALIBRATE)
          add_custom_target(bough-calibrate)
          add_custom_target(bough-info)
        endif()
        """

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("dev", "CMakePresets.json"):
            shutil.copy(ROOT / name, self.root)
        for name in ("scripts", "cmake"):
            (self.root / name).symlink_to(ROOT / name)
        options = re.findall(r"(?m)^option\(.*", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        (self.root / "CMakeLists.txt").write_text("\n".join([
            "cmake_minimum_required(VERSION 3.25)", "project(bough LANGUAGES NONE)", *options, self.TARGETS]))
        for file in ("build/onetbb/lib/libtbb.so", "build/onetbb/VERSION"):
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            (self.root / file).touch()
        every_package = self.root / "programs/dpkg-query"
        every_package.parent.mkdir()
        every_package.write_text("#!/bin/sh\nprintf installed\n")
        every_package.chmod(0o755)

    def dev(self, *arguments):
        path = f"{self.root / 'programs'}:{os.environ['PATH']}"
        return subprocess.run([self.root / "dev", "--no-install", *arguments], capture_output=True, text=True, timeout=120,
                              check=False, env={**os.environ, "PATH": path})

    def install(self):
        """The options of the release build that it installs from."""
        done = self.dev("install", "--prefix", self.root / "prefix")
        self.assertEqual(done.returncode, 0, done.stderr)
        cache = (self.root / "build/release/CMakeCache.txt").read_text(encoding="utf-8")
        return sorted(re.findall(r"(?m)^BOUGH_.*", cache))

    def test_install_before_and_after_the_demo(self):
        before = self.install()
        self.assertIn("BOUGH_BUILD_CALIBRATE:BOOL=ON", before)
        done = self.dev("demo")  # it ends at the examples, which are not here
        self.assertIn("compiling examples/loops.cpp", done.stderr)
        self.assertEqual(self.install(), before)

    def test_demo_leaves_the_release_build_alone(self):
        self.dev("demo")
        self.assertFalse((self.root / "build/release").exists())

    def test_install_in_a_build_folder_without_tools(self):
        subprocess.run(["cmake", "--preset", "release", "-DBOUGH_BUILD_CALIBRATE=OFF"], cwd=self.root, check=True,
                       capture_output=True)
        self.install()


if __name__ == "__main__":
    build = pathlib.Path(sys.argv.pop(1))
    unittest.main(verbosity=2)
