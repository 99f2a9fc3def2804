#!/usr/bin/env python3
"""`bough info` as a user starts it: what it tells, in both forms, and wrong arguments."""

import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BOUGH = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*arguments, status=0, **changes):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("BOUGH_", "TBB_", "LD_"))}
    environment.update({k: str(v) for k, v in changes.items()})
    done = subprocess.run([str(BOUGH), *arguments], capture_output=True, text=True, env=environment, timeout=60,
                          check=False)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


def facts(**changes):
    return json.loads(run("info", "--json", **changes).stdout)


class Info(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_wrong_arguments_are_one_line(self):
        for arguments in ((), ("inof",), ("info", "--jsno"), ("info", "more"), ("--json",)):
            done = run(*arguments, status=2)
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, r"^bough: [^\n]+\n$")

    def test_commands_that_are_none(self):
        for word in ("foo", "help", "foo\nbar"):
            shown = word.replace("\n", "?")
            self.assertIn(f"unknown command '{shown}'; allowed: info;", run(word, status=2).stderr)
        self.assertIn("no command is given; allowed: info;", run(status=2).stderr)

    def test_help_and_version(self):
        self.assertIn("info", run("--help").stdout)
        self.assertEqual(run("--version").stdout, f"bough {facts()['version']}\n")

    def test_both_forms_tell_the_same(self):
        text = run("info", BOUGH_GATE="off").stdout
        told = facts(BOUGH_GATE="off")
        self.assertTrue(text.startswith(f"bough {told['version']}\n"))
        for name, setting in told["settings"].items():
            value = rf"{setting['value']}( {setting['unit']})?"
            columns = rf"{setting['why']} *{setting['variable'] or ''}"  # a long value comes after them
            self.assertRegex(text, rf"(?m)^  {name} +({value} +{columns}|{columns} +{value})")
        self.assertEqual((told["settings"]["gate"]["value"], told["settings"]["gate"]["why"]), ("off", "environment"))

    def test_each_setting_is_documented(self):
        page = pathlib.Path(__file__).resolve().parents[1] / "docs/settings.md"
        documented = re.findall(r"(?m)^\| (BOUGH_\w+) \|", page.read_text(encoding="utf-8"))
        told = [s["variable"] for s in facts()["settings"].values() if s["variable"]]
        self.assertEqual(sorted(documented), sorted(told))

    def test_limits(self):
        cpus = sorted(os.sched_getaffinity(0))
        told = facts()
        self.assertEqual(told["limits"]["affinity_cpus"], cpus)
        threads = told["settings"]["threads"]
        self.assertEqual((threads["value"], threads["why"]), (told["limits"]["usable_cpus"], "default"))
        in_tree = [cpu for package in told["machine"]["packages"] for cache in package["caches"]
                   for core in cache["cores"] for cpu in core["cpus"]]
        self.assertEqual(sorted(in_tree), cpus)
        threads = facts(TBB_NUM_THREADS=3)["settings"]["threads"]
        self.assertEqual((threads["value"], threads["why"], threads["note"]), (3, "environment", "by TBB_NUM_THREADS"))

    def profile(self):
        """One of this machine, three days old."""
        date = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=3)
        unit = {"timespan": "ns", "handoff": "ns", "wakeup": "ns", "steal": "ns", "fan_out": "parts", "spin": "us"}
        values = {"timespan": [500], "handoff": 100, "wakeup": 9000, "steal": 300, "fan_out": 2, "spin": 7}
        path = self.folder / "profile.json"
        machine = f"{facts()['machine']['cpu']}, {facts()['limits']['online_cpus']} CPUs"
        path.write_text(json.dumps({
            "format": "bough profile", "version": 1, "cpu": machine, "how": "by hand", "clock": "counter",
            "date": date.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "values": {name: {"value": value, "unit": unit[name], "how": ""} for name, value in values.items()}}))
        return path

    def test_profile(self):
        told = facts(HOME=self.folder, XDG_CONFIG_HOME="")
        self.assertEqual(told["profile"]["state"], "missing")
        self.assertEqual(told["profile"]["file"], str(self.folder / ".config/bough/profile.json"))
        self.assertEqual(told["settings"]["spin"]["why"], "default")
        self.assertIsNone(told["profile"]["trusted"])
        self.assertEqual(len(told["profile"]["timespan_ns"]), max(2, told["limits"]["usable_cpus"]) - 1)
        path = self.profile()
        told = facts(BOUGH_PROFILE=path)
        self.assertEqual((told["profile"]["state"], told["profile"]["file"]), ("loaded", str(path)))
        self.assertEqual(told["profile"]["age_s"] // 86400, 3)
        self.assertEqual((told["profile"]["trusted"], told["profile"]["timespan_ns"]), (None, [500]))
        self.assertEqual((told["settings"]["spin"]["value"], told["settings"]["spin"]["why"]), (7, "profile"))
        self.assertIn("loaded, 3 days old", run("info", BOUGH_PROFILE=path).stdout)
        for trusted in (True, False):
            path.write_text(json.dumps({**json.loads(path.read_text()), "trusted": trusted}))
            self.assertIs(facts(BOUGH_PROFILE=path)["profile"]["trusted"], trusted)
        path.write_text("{}")
        told = facts(BOUGH_PROFILE=path)
        self.assertEqual((told["profile"]["state"], told["profile"]["age_s"]), ("refused", None))
        self.assertIn("not a profile", told["profile"]["refused"])

    def test_a_library_that_cannot_be_loaded(self):
        (self.folder / "libtbb.so.12").write_text("no library")
        told = facts(LD_LIBRARY_PATH=self.folder)["libtbb"]["any_other"]
        self.assertIsNone(told["path"])
        self.assertIn("libtbb.so.12", told["problem"])

    def test_the_library_that_the_loader_takes(self):
        ours = BOUGH.parents[1] / "compat/lib/libtbb.so.12"
        if not ours.exists():
            self.skipTest("built without compat")
        told = facts()
        self.assertEqual(told["libtbb"]["built_for_bough"]["path"], str(ours.resolve()))
        self.assertEqual(told["libtbb"]["built_for_bough"]["bough"], told["version"])
        for name in ("libtbb.so.12", "libbough.so.0"):
            shutil.copy(ours.parent / name, self.folder / name)
        copy = str((self.folder / "libtbb.so.12").resolve())
        for changes in ({"LD_LIBRARY_PATH": f"/nowhere:{self.folder}"}, {"LD_PRELOAD": copy}):
            told = facts(**changes)["libtbb"]
            self.assertEqual([told[program]["path"] for program in ("built_for_bough", "any_other")], [copy, copy])

    def test_what_a_library_says_stays_out(self):
        done = run("info", "--json", TBB_VERSION=1)
        self.assertEqual(done.stderr, "")
        json.loads(done.stdout)

    def test_a_reader_that_is_gone(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([str(BOUGH), "info"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "bough: the report cannot be written\n"))


if __name__ == "__main__":
    unittest.main()
