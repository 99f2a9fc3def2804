#!/usr/bin/python3
"""The virtual machine against real cores: the same cases, by the same compiler.

    against_host.py --build DIR [--rounds N] [--only REGEX] [--cores LIST] [--real-time] [--measure FILE]
    against_host.py --build DIR --machine FILE [--measured FILE] [--json FILE] [the others]

--build: the build of simulate/CMakeLists.txt, with its target "natives". Virtual CPUs are at times near each other and
at times far: each measurement stands between two pings over a cache line, counts only if they agree, and is held
against the machine (epyc-2 by default) with its travel prices multiplied so that its ping is the measured one.
--cores 2,8: the first 2 CPUs that this process may use, then the first 8; all of them when not given.
--measure: only measures, and writes FILE; --measured: only compares with what was measured elsewhere. --fixed-prices:
the machine's prices as they are, whatever the pings say. --real-time: other programs do not disturb (needs the right to).
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

from runner.options import BOUGH, CASES, FORMS, runtimes_of

HERE = pathlib.Path(__file__).resolve().parent
AGREE = 1.15
LOW, HIGH = 0.7, 1.4


def program(case, way):
    """What runs it, by which word, in which environment."""
    word = BOUGH if way in FORMS else way
    return f"{case}_{word.split('-')[0]}", word, FORMS.get(way, {})


def samples(command, environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, timeout=600)
    if done.returncode != 0:
        sys.exit(f"against_host.py: {command[-1]}: status {done.returncode}: {done.stderr.strip()}")
    by_way = {}
    for line in done.stdout.splitlines():
        way, value = line.rsplit(" ", 1)
        by_way.setdefault(way, []).append(float(value))
    return by_way


class Host:
    def __init__(self, build, real_time):
        self.build = build
        self.before = ["chrt", "-f", "50"] if real_time else []
        self.cpus = sorted(os.sched_getaffinity(0))

    def run(self, cores, program, *arguments, settings={}):
        on = ["taskset", "-c", ",".join(map(str, self.cpus[:cores]))]
        return samples([*self.before, *on, self.build / f"native_{program}", *arguments],
                       dict(os.environ, BOUGH_PROFILE="/dev/null", **settings))

    def measure(self, cores, case, way):
        """Its median time, and the pings that it stands between."""
        before = self.run(2, "primitives", "ping")["ping"][0]
        name, word, settings = program(case, way)
        time = statistics.median(self.run(cores, name, word, settings=settings)[word])
        after = self.run(2, "primitives", "ping")["ping"][0]
        return {"case": case, "runtime": way, "cores": cores, "ns": time, "pings": [before, after]}


class Machine:
    def __init__(self, build, file):
        self.build, self.file = build, file
        self.known = {}
        self.ping = self.run("primitives", 1, 2, "ping")["ping"][0]

    def run(self, program, factor, cores, *arguments, settings={}):
        environment = {"PATH": os.environ["PATH"], "BOUGH_PROFILE": "/dev/null", "SIMULATE_MACHINE": str(self.file),
                       "SIMULATE_CORES": str(cores), "SIMULATE_PRICES": f"{factor:.2f}", **settings}
        key = program, arguments, *environment.values()
        if key not in self.known:
            self.known[key] = samples([self.build / program, *arguments], environment)
        return self.known[key]

    def time(self, case, way, cores, ping):
        factor = ping / self.ping if ping else 1
        name, word, settings = program(case, way)
        return statistics.median(self.run(name, factor, cores, word, settings=settings)[word])


def measure(host, given):
    everything = []
    for number in range(given.rounds):
        for cores in given.cores or [len(host.cpus)]:
            for case in filter(given.only.search, CASES):
                everything += [host.measure(cores, case, way) for way in runtimes_of(case)]
            if given.measure:  # what has been measured is kept if the rest is cut
                given.measure.write_text(json.dumps(everything, indent=1) + "\n")
    return everything


def compare(machine, measured, given):
    rows = {}
    for m in measured:
        if given.only.search(m["case"]) and max(m["pings"]) <= AGREE * min(m["pings"]):
            ping = statistics.mean(m["pings"])
            virtual = machine.time(m["case"], m["runtime"], m["cores"], None if given.fixed_prices else ping)
            rows.setdefault((m["cores"], m["case"], m["runtime"]), []).append((virtual, m["ns"], ping))
    return rows


def report(rows, given):
    result = []
    print(f"{'cores':>5} {'case':14} {'runtime':16} {'measured':>10} {'virtual':>10}  {'ratio':>5}  (lowest to highest)   ping")
    for (cores, case, way), pairs in sorted(rows.items(), key=lambda row: row[0][0]):
        ratios = sorted(virtual / measured for virtual, measured, _ in pairs)
        middle = sorted(pairs, key=lambda pair: pair[0] / pair[1])[len(pairs) // 2]
        result.append({"cores": cores, "case": case, "runtime": way, "rounds": [
            {"virtual_ns": v, "measured_ns": m, "ping_ns": p} for v, m, p in pairs]})
        print(f"{cores:5} {case:14} {way:16} {middle[1]:10.0f} {middle[0]:10.0f}  {statistics.median(ratios):5.2f}"
              f"  ({ratios[0]:.2f} to {ratios[-1]:.2f})   {middle[2]:.0f}")
    for cores in sorted({row[0] for row in rows}):
        for name in ("hand", "bough", "onetbb"):
            of = [statistics.median(v / m for v, m, _ in pairs)
                  for row, pairs in rows.items() if row[0] == cores and row[2].startswith(name)]
            within = sum(LOW <= ratio <= HIGH for ratio in of)
            print(f"{cores} cores, {name}: {within} of {len(of)} between {LOW} and {HIGH}")
    if given.json:
        given.json.write_text(json.dumps(result, indent=1) + "\n")


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--machine", type=pathlib.Path, default=HERE / "machines/epyc-2.json")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cores", type=numbers)
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    parser.add_argument("--measure", type=pathlib.Path)
    parser.add_argument("--measured", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--fixed-prices", action="store_true")
    parser.add_argument("--real-time", action="store_true")
    given = parser.parse_args()
    build = given.build.resolve()
    if given.measured:
        measured = json.loads(given.measured.read_text())
    else:
        measured = measure(Host(build, given.real_time), given)
    if not given.measure:
        report(compare(Machine(build, given.machine.resolve()), measured, given), given)


if __name__ == "__main__":
    main()
