#!/usr/bin/env python3
"""Which T should close the gate? Takes the distribution times of teams on a virtual machine, makes a profile of each rule
(a percentile, the cap), and runs the cases with each.

    gates.py BUILD OUT.json [--machine M] [--cores LIST] [--seeds N]

BUILD: a build of simulate/. Each run is made twice: on cores that nobody takes away ("quiet"), and on cores of which
each is lost once in a millisecond for up to 100 us ("lost"): only there do percentiles differ.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
TEAMS = [2, 3, 4, 8, 16, 24, 32, 48, 64]  # between these T is interpolated
WARM_UPS, ROUNDS = 20, 400
CASES = ["all_start", "spmv_balanced", "spmv_triangle", "scan", "transpose", "product"]
NOISE = {"quiet": {}, "lost": {"SIMULATE_LOSE_EVERY_US": "1000", "SIMULATE_LOSE_FOR_US": "100"}}
RULES = {
    "p50": lambda p: p["p50"],
    "p90": lambda p: p["p90"],
    "p99": lambda p: p["p99"],
    "p99, at most 4 medians": lambda p: min(p["p99"], 4 * p["p50"]),
    "4 medians": lambda p: 4 * p["p50"],
}


def run(build, case, machine, cores, seed, noise, settings, rounds=None):
    env = {"SIMULATE_MACHINE": str(ROOT / f"simulate/machines/{machine}.json"), "SIMULATE_CORES": str(cores),
           "SIMULATE_SEED": str(seed), "BOUGH_STATS": "1", **NOISE[noise], **settings}
    command = [str(build / f"{case}_bough"), "bough", *([str(rounds)] if rounds else [])]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"gates.py: {case} on {cores} cores of {machine}: status {done.returncode}: {done.stderr[-300:]}")
    times = [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("bough ")]
    return times, done.stderr


def percentiles(times):
    ordered = sorted(times)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    return {"p50": at(0.5), "p90": at(0.9), "p99": at(0.99), "most": ordered[-1], "loops": len(ordered)}


def distribution(build, machine, teams, noise, seeds, pool):
    """Of each team: the time from the call to the start of its last unit, of loops with a unit for each thread."""
    jobs = {team: [pool.submit(run, build, "all_start", machine, team, seed, noise, {}, WARM_UPS + ROUNDS)
                   for seed in seeds] for team in teams}
    return {team: percentiles([t for job in of for t in job.result()[0][WARM_UPS:]]) for team, of in jobs.items()}


def table(known, largest):
    """T for 2 to `largest` threads, on straight lines between the teams that were measured."""
    sizes = sorted(known)
    values = []
    for team in range(2, largest + 1):
        low = max(size for size in sizes if size <= team)
        high = min((size for size in sizes if size >= team), default=low)
        share = 0 if high == low else (team - low) / (high - low)
        values.append(known[low] + share * (known[high] - known[low]))
    return values


def identity(build, machine, cores):
    """What the runtime calls this machine, from what it says about the profile of another one."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(profile("another", [1000.0]), file)
        file.flush()
        said = run(build, "hand_off", machine, cores, 1, "quiet", {"BOUGH_PROFILE": file.name})[1]
    return re.search(r"this is (.*)\); defaults are used", said)[1]


def profile(cpu, timespans):
    """All but T as the library's defaults have it."""
    entry = lambda value, unit: {"value": value, "unit": unit, "how": "gates.py"}
    return {"format": "bough profile", "version": 1, "cpu": cpu, "date": "2026-11-27", "how": "gates.py",
            "clock": "counter", "trusted": True,
            "values": {"timespan": entry(timespans, "ns"), "handoff": entry(250, "ns"), "wakeup": entry(20000, "ns"),
                       "steal": entry(500, "ns"), "fan_out": entry(2, "parts"), "spin": entry(20, "us")}}


def main():
    usage = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usage.add_argument("build", type=pathlib.Path)
    usage.add_argument("out", type=pathlib.Path)
    usage.add_argument("--machine", default="xeon-48")
    usage.add_argument("--cores", default="16,48")
    usage.add_argument("--seeds", type=int, default=3)
    given = usage.parse_args()
    seeds = range(1, given.seeds + 1)
    result = {"machine": given.machine, "commit": subprocess.run(
        ["git", "-C", ROOT, "log", "-1", "--format=%h"], capture_output=True, text=True).stdout.strip(),
        "distribution": {}, "runs": []}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as folder:
        cores = [int(c) for c in given.cores.split(",")]
        teams = [t for t in TEAMS if t <= max(cores)]
        for noise in NOISE:
            of = distribution(given.build, given.machine, teams, noise, seeds, pool)
            result["distribution"][noise] = of
            for team, p in of.items():
                print(f"{noise:6} {team:3} threads: " + ", ".join(f"{k} {v:.0f}" for k, v in p.items()), flush=True)
        for count in cores:
            cpu = identity(given.build, given.machine, count)
            for noise in NOISE:
                # given: the library's own defaults; off: no gate
                ways = {"given": {}, "off": {"BOUGH_GATE": "off"}}
                for name, rule in RULES.items():
                    file = pathlib.Path(folder) / f"{count}-{noise}-{re.sub('[^a-z0-9]+', '-', name)}.json"
                    timespans = table({team: rule(p) for team, p in result["distribution"][noise].items()}, count)
                    file.write_text(json.dumps(profile(cpu, timespans)))
                    ways[name] = {"BOUGH_PROFILE": str(file)}
                for case in CASES:
                    jobs = {name: [pool.submit(run, given.build, case, given.machine, count, seed, noise, settings)
                                   for seed in seeds] for name, settings in ways.items()}
                    line = []
                    for name, of in jobs.items():
                        done = [job.result() for job in of]
                        if any("defaults are used" in said for _, said in done):
                            sys.exit(f"gates.py: the profile was refused: {done[0][1]}")
                        medians = [statistics.median(times) for times, _ in done]
                        result["runs"].append({"case": case, "cores": count, "noise": noise, "rule": name,
                                               "medians_ns": medians, "times_ns": [times for times, _ in done],
                                               "counts": [said.strip().splitlines()[-1][:600] for _, said in done if said]})
                        mean = statistics.mean(t for times, _ in done for t in times)
                        line.append(f"{name}: {statistics.median(medians) / 1e3:.2f} ({mean / 1e3:.2f})")
                    print(f"{noise:6} {count:3} {case:14} " + "; ".join(line), flush=True)
    given.out.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
