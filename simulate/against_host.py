"""The virtual machine of two cores against the two cores here: the same cases, by the same compiler.

    against_host.py --build DIR [--rounds N] [--only REGEX] [--json FILE] [--real-time]

--build: the build of simulate/CMakeLists.txt, with its target "natives". Two virtual CPUs are at times near each other
and at times far: each measurement stands between two pings over a cache line, counts only if they agree, and is held
against the machine epyc-2 with its travel prices multiplied so that its ping is the measured one. --real-time: other
programs do not disturb (needs the right to).
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

from runner.options import CASES, CLASSIC, runtimes_of

HERE = pathlib.Path(__file__).resolve().parent
MACHINE = HERE / "machines/epyc-2.json"
AGREE = 1.15
LOW, HIGH = 0.7, 1.4


def samples(command, environment=None):
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

    def ping(self):
        return samples(self.before + [self.build / "native_primitives", "ping"])["ping"][0]

    def measure(self, program, way):
        """Its median time, and the ping that it stands between; None when the cores have moved."""
        first = self.ping()
        times = samples(self.before + [self.build / f"native_{program}", way])[way]
        last = self.ping()
        if max(first, last) > AGREE * min(first, last):
            return None
        return statistics.median(times), (first + last) / 2


class Machine:
    def __init__(self, build):
        self.build = build
        self.known = {}
        self.ping = self.run("primitives", 1, "ping")["ping"][0]

    def run(self, program, factor, *arguments):
        environment = {"PATH": os.environ["PATH"], "BOUGH_PROFILE": "", "SIMULATE_MACHINE": str(MACHINE),
                       "SIMULATE_PRICES": f"{factor:.2f}"}
        key = program, environment["SIMULATE_PRICES"], arguments
        if key not in self.known:
            self.known[key] = samples([self.build / program, *arguments], environment)
        return self.known[key]

    def time(self, program, way, ping):
        return statistics.median(self.run(program, ping / self.ping, way)[way])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--real-time", action="store_true")
    given = parser.parse_args()
    build = given.build.resolve()
    host, machine = Host(build, given.real_time), Machine(build)
    rows = {}
    for _ in range(given.rounds):
        for case in filter(given.only.search, CASES):
            for way in runtimes_of(case):
                if way == CLASSIC:
                    continue
                program = f"{case}_{way.split('-')[0]}"
                if measured := host.measure(program, way):
                    time, ping = measured
                    rows.setdefault((case, way), []).append((machine.time(program, way, ping), time, ping))
    result = []
    print(f"{'case':14} {'runtime':16} {'measured':>10} {'virtual':>10}  {'ratio':>5}  (lowest to highest)   ping")
    for (case, way), pairs in rows.items():
        ratios = sorted(virtual / measured for virtual, measured, _ in pairs)
        middle = sorted(pairs, key=lambda pair: pair[0] / pair[1])[len(pairs) // 2]
        result.append({"case": case, "runtime": way, "rounds": [
            {"virtual_ns": v, "measured_ns": m, "ping_ns": p} for v, m, p in pairs]})
        print(f"{case:14} {way:16} {middle[1]:10.0f} {middle[0]:10.0f}  {statistics.median(ratios):5.2f}"
              f"  ({ratios[0]:.2f} to {ratios[-1]:.2f})   {middle[2]:.0f}")
    for name in ("hand", "bough", "onetbb"):
        of = [statistics.median(v / m for v, m, _ in pairs) for (_, way), pairs in rows.items() if way.startswith(name)]
        within = sum(LOW <= ratio <= HIGH for ratio in of)
        print(f"{name}: {within} of {len(of)} between {LOW} and {HIGH}")
    if given.json:
        given.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
