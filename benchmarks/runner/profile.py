"""The profile that every process of a run takes: calibrated for this run, named by --profile, or the built-in one.
Without numpy, as its test is."""

import contextlib
import json
import os
import subprocess

from .options import BUILT_IN, HERE, PROFILES, last_line, stop

LIMIT_S = 1800  # of a quick calibration: 4 s for each team size at most, twice
TRUST = {True: "its calibration is trusted", False: "its calibration was not trusted (taken by --force)",
         None: "it does not say whether its calibration is trusted"}


def environment(o):
    """Variables of every process. They replace the caller's BOUGH_PROFILE and hide a profile in the caller's home. No
    file can lie below a device, so bough finds none there and takes its built-in profile without a word."""
    if o.profile_file:
        return {"BOUGH_PROFILE": str(o.profile_file.resolve())}
    return {"BOUGH_PROFILE": "", "XDG_CONFIG_HOME": os.devnull}


def choose(o):
    """Chooses what environment() returns from now on, and what the results say of it."""
    doubt = None
    if o.profile is None:
        print("calibrating this machine (--profile default does without)", flush=True)
        o.profile_file, doubt = calibrate(o)
    elif o.profile != BUILT_IN:
        o.profile_file = o.profile
    how = "built in" if not o.profile_file else "calibrated for this run" if o.profile is None else "given by --profile"
    o.profile_used = {"name": shown(o.profile_file), "how": how, "calibration": doubt, **values(o)}
    print(text(o.profile_used), flush=True)


def calibrate(o):
    """The profile's file and None, or None and why there is none."""
    file = o.build / "profile.json"
    with contextlib.suppress(OSError):  # an older one would be compared with, and would stay
        file.unlink()
    command = [str(o.build / "bin/bough-calibrate"), "--quick", "--json", "--output", str(file)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return None, f"did not end within {LIMIT_S} s"
    return (file, None) if done.returncode == 0 else (None, why_none(done))


def why_none(done):
    try:
        first, *others = json.loads(done.stdout)["doubts"]
    except (ValueError, KeyError):
        return f"ended with {done.returncode}: {last_line(done.stderr)}"
    return f"is not to be trusted: {first}" + (f", and {len(others)} more" if others else "")


def values(o):
    """What the runtime itself has loaded."""
    told = info(o)
    profile, settings = told["profile"], told["settings"]
    if o.profile_file and profile["state"] != "loaded":
        stop(f"--profile {o.profile}: bough refuses it: {profile['refused']}; allowed is {PROFILES}")
    return {"date": profile["date"], "trusted": profile["trusted"], "timespan_ns": profile["timespan_ns"],
            "handoff_ns": settings["hand-off"]["value"], "wakeup_ns": settings["wake-up"]["value"],
            "steal_ns": settings["steal"]["value"], "fan_out": settings["fan-out"]["value"]}


def info(o):
    done = subprocess.run([str(o.build / "bin/bough"), "info", "--json"], env=dict(os.environ, **environment(o)),
                          capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        stop(f"bough info ended with {done.returncode}: {last_line(done.stderr)}", 1)
    return json.loads(done.stdout)


def shown(file):
    """A name that means the same on another machine: below the checkout, or the file's own."""
    if not file:
        return BUILT_IN
    root = HERE.parent
    return str(file.resolve().relative_to(root)) if file.resolve().is_relative_to(root) else file.name


def text(used):
    """One line, for the terminal and the reports."""
    return f"Profile: {source(used)}. {times(used)}."


def source(used):
    text_of_name = f"{used['name']}, {used['how']}"
    if used["date"]:
        return f"{text_of_name}, of {used['date']}; {TRUST[used['trusted']]}"
    return text_of_name + (f", as the calibration of this machine {used['calibration']}" if used["calibration"] else "")


def times(used):
    teams = ", ".join(f"{threads} threads {ns_text(ns)}" for threads, ns in runs(used["timespan_ns"]))
    return (f"Timespan (T): {teams}; hand-off {ns_text(used['handoff_ns'])}, wake-up {ns_text(used['wakeup_ns'])}, "
            f"steal {ns_text(used['steal_ns'])}, fan-out {used['fan_out']}")


def ns_text(ns):
    return f"{round(ns, 1):.12g} ns"


def runs(timespans):
    """[("3 to 4", ns)]: team sizes in a row that have one value."""
    found = []
    for team, ns in enumerate(timespans, start=2):
        if found and found[-1][2] == ns:
            found[-1][1] = team
        else:
            found.append([team, team, ns])
    return [(str(first) if first == last else f"{first} to {last}", ns) for first, last, ns in found]


def lines(settings):
    """Of a report; results of before profiles were named have none."""
    return [text(settings["profile"]), ""] if "profile" in settings else []
