#!/usr/bin/env python3
"""Counts, or times, the fork-join cases of ./dev bench --papers by BOUGH_MAIL and by queue, on two threads.

counts.py BUILD ROUNDS > counts.json          on the libraries that count
counts.py BUILD ROUNDS --times > times.json   on those that do not
BUILD is build/bench."""
import json
import os
import pathlib
import re
import subprocess
import sys

CLASSIC = {"BOUGH_DISTRIBUTE": "steal", "BOUGH_GATE": "off", "BOUGH_MAIL": "off"}
WAYS = {"classic": CLASSIC, "off": {"BOUGH_MAIL": "off"}, "start": {}, "letters": {"BOUGH_MAIL": "letters"},
        "always": {"BOUGH_MAIL": "always"}, "always even": {"BOUGH_MAIL": "always", "BOUGH_DISTRIBUTE": "even"},
        "always uneven": {"BOUGH_MAIL": "always", "BOUGH_DISTRIBUTE": "uneven"}}
OTHERS = ["abp", "mutex", "split", "split-signal"]
COUNTED = [(way, "chase-lev") for way in WAYS] + [(way, q) for q in OTHERS for way in ("classic", "off", "always")]
TIMED = [(way, q) for way in ("off", "always") for q in ["chase-lev", *OTHERS]]
CASES = "fib|integrate|nqueens|cilksort|quicksort|uts|lu|word_count|knapsack|matmul_recursive|strassen|pi"
NS = {"ns": 1, "us": 1e3, "ms": 1e6}


def library(build, queue, counts):
    name = queue + ("-counted" if counts else "")
    return build / "lib" / ("" if name == "chase-lev" else f"bough-variants/{name}") / "libbough.so.0"


def run(build, way, queue, counts):
    """{case: {event: per run}}, or {case: {"time": ns}}."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BOUGH_")}
    command = [build / "bin/bench_bough_shared", "--papers", "--text", "/usr/share/common-licenses",
               f"--benchmark_filter=^({CASES})/", "--benchmark_format=json", "--benchmark_min_time=0.003"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600, env={
        **kept, **WAYS[way], **({"BOUGH_STATS": "1"} if counts else {}), "BENCH_THREADS": "2",
        "XDG_CONFIG_HOME": os.devnull, "LD_PRELOAD": str(library(build, queue, counts))})
    found = {}
    for entry in json.loads(done.stdout)["benchmarks"]:
        case = re.sub("(/repeats:1|/iterations:1)?/(real_time|manual_time)$", "", entry["name"])
        if entry.get("error_occurred"):
            sys.exit(f"{way} on {queue}, {case}: {entry['error_message']}")
        found[case] = {re.sub("[ -]", "_", name.removeprefix("event_")): value for name, value in entry.items()
                       if name.startswith("event_")} if counts else {"time": entry["real_time"] * NS[entry["time_unit"]]}
    return found


def main():
    build, rounds, counts = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]), "--times" not in sys.argv
    runs = COUNTED if counts else TIMED
    found = {}
    for number in range(rounds):
        first = number % len(runs)
        for way, queue in runs[first:] + runs[:first]:
            for case, events in run(build, way, queue, counts).items():
                for name, value in events.items():
                    found.setdefault(f"{way} on {queue}", {}).setdefault(case, {}).setdefault(name, []).append(round(value, 1))
    lines = [f' "{way}": {{\n' + ",\n".join(f'  "{case}": {json.dumps(events)}' for case, events in cases.items()) + "}"
             for way, cases in found.items()]
    print('{"threads": 2, "unit": "' + ("per run" if counts else "ns") + f'", "rounds": {rounds}, "found": {{\n'
          + ",\n".join(lines) + "\n}}")


main()
