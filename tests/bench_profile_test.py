#!/usr/bin/python3
"""With which profile ./dev bench runs its processes, and that results and reports name it. bough-calibrate is a script
here, and so is bough but in the test that asks BUILD's: builds nothing. usage: bench_profile_test.py BUILD
"""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "benchmarks"))
from runner import options, profile  # noqa: E402  (the path comes first)
from runner.results import Results  # noqa: E402

DATE = "2026-01-02T03:04:05Z"
TRUSTED = f"""
for last; do :; done
echo '{{"format": "bough profile", "date": "{DATE}"}}' >"$last"
echo '{{"doubts": []}}'
"""
NOT_TRUSTED = """echo '{"doubts": ["others were busy", "b", "c"]}'; exit 3"""
INFO = """
state=missing date=null trusted=null
if [ -n "$BOUGH_PROFILE" ]; then state=%s date='"2026-01-02T03:04:05Z"' trusted=%s; fi
cat <<TEXT
{"profile": {"file": "$BOUGH_PROFILE", "state": "$state", "date": $date, "refused": "it is of another machine",
             "trusted": $trusted, "timespan_ns": [285.5, 1500, 1500]},
 "settings": {"hand-off": {"value": 64}, "wake-up": {"value": 18000}, "steal": {"value": 50}, "fan-out": {"value": 2}}}
TEXT
"""
VALUES = ("Timespan (T): 2 threads 285.5 ns, 3 to 4 threads 1500 ns; hand-off 64 ns, wake-up 18000 ns, steal 50 ns, "
          "fan-out 2.")


class Profile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        (self.folder / "bin").mkdir()
        self.script("bough", INFO % ("loaded", "true"))
        self.script("bough-calibrate", "exit 9")

    def script(self, name, text):
        file = self.folder / "bin" / name
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)

    def choose(self, *arguments):
        """The options of a run; what it prints of its profile is in self.said."""
        self.said = io.StringIO()
        o = options.check_options(["--build", str(self.folder), *arguments])
        with contextlib.redirect_stdout(self.said), contextlib.redirect_stderr(self.said):
            profile.choose(o)
        return o

    def named(self, o, begin):
        """The terminal, results.json and the line of the reports name this profile. Returns what the JSON has of it."""
        self.assertIn(f"Profile: {begin}", self.said.getvalue())
        Results(o, [], []).save(self.folder / "results.json", {})
        settings = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))["settings"]
        self.assertTrue(profile.lines(settings)[0].startswith(f"Profile: {begin}"), profile.lines(settings))
        self.assertTrue(profile.lines(settings)[0].endswith(VALUES), profile.lines(settings))
        return settings["profile"]

    def given(self):
        file = self.folder / "given.json"
        file.write_text('{"format": "bough profile"}')
        return file

    def is_built_in(self, o):
        variables = profile.environment(o)
        self.assertEqual(variables["BOUGH_PROFILE"], "")
        self.assertFalse(os.path.exists(variables["XDG_CONFIG_HOME"] + "/bough"))

    def test_a_calibration_that_is_trusted(self):
        self.script("bough-calibrate", TRUSTED)
        o = self.choose()
        self.assertEqual(profile.environment(o), {"BOUGH_PROFILE": str(self.folder / "profile.json")})
        used = self.named(o, f"profile.json, calibrated for this run, of {DATE}; its calibration is trusted. ")
        self.assertEqual((used["name"], used["date"], used["trusted"], used["timespan_ns"], used["handoff_ns"]),
                         ("profile.json", DATE, True, [285.5, 1500, 1500], 64))

    def test_a_calibration_that_is_not_trusted(self):
        (self.folder / "profile.json").write_text("of the run before")
        self.script("bough-calibrate", NOT_TRUSTED)
        o = self.choose()
        self.is_built_in(o)
        self.assertFalse((self.folder / "profile.json").exists())
        used = self.named(o, "default, built in, as the calibration of this machine is not to be trusted: "
                             "others were busy, and 2 more. ")
        self.assertEqual((used["name"], used["trusted"]), ("default", None))
        self.assertIn("others were busy", used["calibration"])

    def test_a_calibration_that_fails(self):
        self.script("bough-calibrate", "echo first >&2; echo last >&2; exit 1")
        self.named(self.choose(), "default, built in, as the calibration of this machine ended with 1: last. ")

    def test_the_built_in_one(self):
        o = self.choose("--profile", "default")
        self.is_built_in(o)
        self.named(o, "default, built in. ")

    def test_a_file(self):
        for trusted, words in (("true", "is trusted"), ("false", "was not trusted"), ("null", "does not say")):
            self.script("bough", INFO % ("loaded", trusted))
            o = self.choose("--profile", str(self.given()))
            self.assertEqual(profile.environment(o), {"BOUGH_PROFILE": str(self.given())})
            self.named(o, f"given.json, given by --profile, of {DATE}; ")
            self.assertIn(words, self.said.getvalue())

    def test_a_file_that_bough_refuses(self):
        self.script("bough", INFO % ("refused", "null"))
        with self.assertRaises(SystemExit) as ended:
            self.choose("--profile", str(self.given()))
        self.assertEqual((ended.exception.code, self.said.getvalue().count("\n")), (2, 1))
        self.assertIn("--profile", self.said.getvalue())
        self.assertIn("it is of another machine; allowed is 'default', or a file", self.said.getvalue())

    def test_every_process_takes_it(self):
        try:
            from runner import measure
        except ImportError as error:
            self.skipTest(f"no {error.name}")
        o = self.choose("--profile", str(self.given()))
        for runtime in ("bough", "bough_classic", "tbb_auto@bough", "serial"):
            self.assertEqual(measure.environment(o, runtime)["BOUGH_PROFILE"], str(self.given()))

    def test_reports_name_it(self):
        try:
            from runner import report
            from runner.papers import page
        except ImportError as error:
            self.skipTest(f"no {error.name}")
        o = self.choose("--profile", "default")
        results = Results(o, [], [])
        results.settings.update(others_cpus=0, seconds=1)
        line = "Profile: default, built in. " + VALUES
        self.assertIn(line, report.setting_lines(results))
        self.assertIn(line, page.write(o, results, []).splitlines())

    def test_what_bough_itself_tells(self):
        if not (build / "bin/bough").exists():
            self.skipTest("no bough in BUILD")
        o = options.check_options(["--build", str(build), "--profile", "default"])
        with contextlib.redirect_stdout(io.StringIO()):
            profile.choose(o)
        self.assertGreater(min(o.profile_used["timespan_ns"]), 0)
        self.assertEqual((o.profile_used["name"], o.profile_used["date"]), ("default", None))


if __name__ == "__main__":
    build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
