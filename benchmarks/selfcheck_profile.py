"""Every result names the profile that it ran with, and a calibration that is not trusted is not used. Called by
selfcheck.py."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
DATE = "2026-01-02T03:04:05Z"
UNITS = {"timespan": "ns", "handoff": "ns", "wakeup": "ns", "steal": "ns", "fan_out": "parts", "spin": "us"}
VALUES = {"timespan": [500], "handoff": 123, "wakeup": 9000, "steal": 300, "fan_out": 2, "spin": 7}


def check_all(build, folder, check, run, ended):
    mine = folder / "mine.json"
    mine.write_text(profile_of(machine(build, run)))
    for what, calibrate, words, begin in (
            ("default", "exit 9", ["--profile", "default"], "default, built in. Timespan (T): 2 threads "),
            ("FILE", "exit 9", ["--profile", mine],
             f"mine.json, given by --profile, of {DATE}; its calibration is trusted. "
             "Timespan (T): 2 threads 500 ns; hand-off 123 ns, "),
            ("calibrated", f"cp {mine} $4", [], f"profile.json, calibrated for this run, of {DATE}; "),
            ("not trusted", """echo '{"doubts": ["a busy machine"]}'; exit 3""", [],
             "default, built in, as the calibration of this machine is not to be trusted: a busy machine. ")):
        done, out = run_planted(plant(build, folder / what, calibrate), words, run)
        check(f"a run with the profile {what}", done.returncode == 0, done.stdout + done.stderr)
        check_named(what, out, begin, check)
    mine.write_text(profile_of("another machine"))
    done = run([HERE / "run.py", "--build", build, "--only", "^tiny/", "--runtimes", "serial", "--profile", mine,
                "--out", folder / "none"])
    check("run.py --profile of another machine", ended(done, 2, "it is of another machine"), done.stderr)


def run_planted(build, words, run):
    out = build / "results"
    return run([HERE / "run.py", "--build", build, "--only", "^tiny/axpy/128$", "--runtimes", "serial,bough",
                "--rounds", "2", "--processes", "2", "--threads", "2", "--out", out, *words]), out


def check_named(what, out, begin, check):
    report = (out / "report.md").read_text() if (out / "report.md").exists() else ""
    check(f"report.md names the profile {what}", f"\nProfile: {begin}" in report, report)
    used = json.loads((out / "results.json").read_text())["settings"].get("profile", {}) if report else {}
    check(f"results.json names the profile {what}", used.get("name") == begin.split(",")[0]
          and used.get("timespan_ns") and used.get("handoff_ns"), str(used))


def plant(build, folder, calibrate):
    """A build folder with another bough-calibrate."""
    (folder / "bin").mkdir(parents=True)
    for binary in (build / "bin").glob("b*"):
        (folder / "bin" / binary.name).symlink_to(binary)
    script = folder / "bin/bough-calibrate"
    script.unlink(missing_ok=True)
    script.write_text("#!/bin/sh\n" + calibrate + "\n")
    script.chmod(0o755)
    return folder


def machine(build, run):
    told = json.loads(run([build / "bin/bough", "info", "--json"]).stdout)
    return f"{told['machine']['cpu']}, {told['limits']['online_cpus']} CPUs"


def profile_of(cpu):
    values = {name: {"value": value, "unit": UNITS[name], "how": ""} for name, value in VALUES.items()}
    return json.dumps({"format": "bough profile", "version": 1, "cpu": cpu, "how": "by hand", "clock": "counter",
                       "date": DATE, "trusted": True, "values": values})


if __name__ == "__main__":
    sys.exit("run selfcheck.py")
