#!/usr/bin/env python3
"""Runs the scenarios on the virtual machine under many seeds; README.md.

A seed decides all of a run: the machine, its cores, the runtime's threads and settings, lost cores, delayed stores, and
what the scenario draws. Stops at the first failure of each scenario, and prints how to run it again.
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST_SEED = 1
# Run twice, and compared: the output, and the trace. The traces of the second would take twice as long.
TRACED_SEED, REPEATED_SEED = FIRST_SEED, FIRST_SEED + 4
MOST_HOST_SECONDS = 120  # of one run; some ms are usual
SHOWN_LINES = 250  # of a failing run's output

# Cores, and threads of the runtime.
SHAPES = [(2, 2), (2, 3), (2, 4), (3, 3), (4, 4), (4, 4), (4, 16), (6, 6), (8, 8), (8, 12), (12, 12)]
# A core is lost on average every so many us, for up to so many.
LOSSES = [(0, 0), (0, 0), (3, 3), (10, 30), (30, 30), (100, 1000), (300, 300)]
STORE_DELAYS_NS = [0, 100, 1000, 10000]
SPINS_US = [None, None, "0", "0", "2", "30", "forever"]
OTHERS = [{}, {}, {}, {}, {"BOUGH_GATE": "off"}, {"BOUGH_GATE": "count:2"}, {"BOUGH_MAIL": "off"},
          {"BOUGH_MAIL": "letters"}, {"BOUGH_MAIL": "always"}, {"BOUGH_DISTRIBUTE": "even"},
          {"BOUGH_DISTRIBUTE": "steal"}, {"BOUGH_STATS": "0"}, {"BOUGH_THIEVES": "all"},
          {"BOUGH_GRAIN": "1"}, {"BOUGH_PREDICT": "0"}]


def settings_of(seed):
    """The environment of a run: nothing else is in it, as its size would move addresses."""
    draw = random.Random(seed)
    cores, threads = draw.choice(SHAPES)
    machine = draw.choice(["xeon-48", "xeon-48", "arm-128"] if cores <= 48 else ["arm-128"])
    every, most = draw.choice(LOSSES)
    spin = draw.choice(SPINS_US)
    if spin == "forever" and threads > cores:  # each step would take a time slice of 3 ms
        spin = None
    chosen = {
        "SIMULATE_MACHINE": str(ROOT / "simulate/machines" / (machine + ".json")),
        "SIMULATE_CORES": str(cores),
        "SIMULATE_SEED": str(seed),
        "SIMULATE_LOSE_EVERY_US": str(every),
        "SIMULATE_LOSE_FOR_US": str(most),
        "SIMULATE_STORE_DELAY_NS": str(draw.choice(STORE_DELAYS_NS)),
        "SIMULATE_END_AT_US": "2000000",
        "SIMULATE_SUMMARY": "1",
        "BOUGH_NUM_THREADS": str(threads),
    }
    if spin is not None:
        chosen["BOUGH_SPIN_US"] = spin
    chosen.update(draw.choice(OTHERS))
    return chosen


class Refused(Exception):
    pass


class Run:
    def __init__(self, program, scenario, seed, *further):
        self.scenario, self.seed = scenario, seed
        self.environment = settings_of(seed)
        self.command = [str(program), scenario, str(seed), *further]
        self.status, self.output = None, ""

    def start(self):
        try:
            done = subprocess.run(self.command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  errors="replace", timeout=MOST_HOST_SECONDS, check=False)
            self.status, self.output = done.returncode, done.stdout
        except subprocess.TimeoutExpired as e:
            self.status = 124
            self.output = (e.stdout or b"").decode(errors="replace") + f"no end after {MOST_HOST_SECONDS} s\n"
        if self.status == 2:  # the machine, or the program, refused what it was given: no answer of the runtime's
            raise Refused(f"run.py: {self.again()}: {self.output}")
        return self

    def is_right(self):
        return self.status == 0 and "right\n" in self.output

    def again(self):
        return shlex.join(["env", "-i", *(f"{name}={value}" for name, value in self.environment.items()), *self.command])

    def say(self, what):
        settings = [f"{name}={value}" for name, value in self.environment.items()]
        lines = self.output.splitlines()
        print(f"\nFAILED: {self.scenario}, seed {self.seed}: {what}")
        print("  settings:", " ".join(s for s in settings if "MACHINE" not in s),
              "on", pathlib.Path(self.environment["SIMULATE_MACHINE"]).stem)
        print("  again:   ", self.again())
        for line in lines[:SHOWN_LINES]:
            print("  |", line)
        if len(lines) > SHOWN_LINES:
            print(f"  | and {len(lines) - SHOWN_LINES} lines more")
        sys.stdout.flush()


def scenarios_of(program):
    names = subprocess.run([str(program)], env=settings_of(FIRST_SEED), capture_output=True, text=True, check=False)
    if names.returncode != 0 or not names.stdout:
        sys.exit(f"run.py: {program} does not name its scenarios: {names.stderr}")
    return names.stdout.split()


def until_found(program, scenarios, seeds, seconds, jobs, stop_at_first=False, further=(), tell=lambda run: None):
    """The failed runs, of each scenario the first, and how many runs and seeds there were. All scenarios of one seed, then
    the next seed. `further`: words for the program. `tell` is given each failed run at once.
    """
    end = time.monotonic() + seconds
    left, failed = list(scenarios), []
    ran = [0, 0]  # runs, seeds
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for seed in seeds:
            if not left or time.monotonic() > end:
                break
            ran[1] += 1
            runs = [pool.submit(Run(program, s, seed, *further).start) for s in left]
            for future in runs:
                run = future.result()
                ran[0] += 1
                if not run.is_right():
                    tell(run)
                    failed.append(run)
                    left.remove(run.scenario)
            if failed and stop_at_first:
                break
    return failed, ran[0], ran[1]


# What the machine says where the system forbids to fix addresses, as in a container.
NOT_REPEATABLE = "runs are not repeatable"


def traced(program, scenario, seed, file):
    """A run whose trace is in the file. Files of one comparison have equally long names: the environment lies on the stack."""
    run = Run(program, scenario, seed)
    run.environment["SIMULATE_TRACE"] = str(file)
    return run.start()


def first_difference(first, again):
    """Of two traces that differ: the first event, else the part of the file."""
    try:
        first, again = json.loads(first), json.loads(again)
    except ValueError:
        return "a trace is missing, or no JSON"
    pairs = list(zip(first["events"], again["events"]))
    for number, (one, other) in enumerate(pairs):
        if one != other:
            return f"event {number} is {json.dumps(one)}\nand was not so the second time: {json.dumps(other)}"
    if len(first["events"]) != len(again["events"]):
        return f"the first {len(pairs)} events agree; there are {len(first['events'])}, the second time {len(again['events'])}"
    parts = [part for part in first if first[part] != again.get(part)]
    return f"all {len(pairs)} events agree; these parts differ: {', '.join(parts) or 'none'}"


def repeats(program, scenarios, end):
    """The same seed twice. The output is the same, and so are the counts in the machine's summary; with another seed the
    trace is as well, byte for byte. Yields what could not be repeated. After the time `end` no further scenario begins.
    """
    for number, scenario in enumerate(scenarios):
        if number > 0 and time.monotonic() > end:
            print(f"{number} of {len(scenarios)} scenarios were repeated: half of the time is over")
            return
        first, again = (Run(program, scenario, REPEATED_SEED).start() for _ in range(2))
        if NOT_REPEATABLE in first.output:
            print("the system does not let addresses be fixed: whether a seed repeats its run is not looked at")
            return
        if first.output != again.output or first.status != again.status:
            again.output = f"{first.output}--- and the second time:\n{again.output}"
            yield again
        folder = pathlib.Path(tempfile.mkdtemp(prefix="bough-traces-"))
        files = [folder / "1.json", folder / "2.json"]
        first, again = (traced(program, scenario, TRACED_SEED, file) for file in files)
        trace, trace_again = (file.read_bytes() if file.is_file() else b"" for file in files)
        written = trace or first.status != 0  # a crash leaves none
        if first.output == again.output and first.status == again.status and trace == trace_again and written:
            shutil.rmtree(folder)
            continue
        again.output = f"{first.output}--- and the second time:\n{again.output}--- the traces are in {folder}\n"
        if trace != trace_again or not written:
            again.output = f"{first_difference(trace, trace_again)}\n{again.output}"
        yield again


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text}: a whole number from 1 is wanted")
    return int(text)


def shape(text):
    cores, colon, threads = text.partition(":")
    if not colon or not 1 <= positive(cores) <= 128:
        raise argparse.ArgumentTypeError(f"{text}: CORES:THREADS is wanted, at most 128 cores")
    return int(cores), positive(threads)


def main():
    usage = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usage.add_argument("program", type=pathlib.Path, help="stress, as built for the virtual machine")
    usage.add_argument("--seconds", type=positive, default=60, help="after so many no run begins (60)")
    usage.add_argument("--seed", type=positive, help="this seed alone")
    usage.add_argument("--first-seed", type=positive, default=FIRST_SEED, help=f"seeds from here on ({FIRST_SEED})")
    usage.add_argument("--random", action="store_true", help="seeds from a random one on, which is printed")
    usage.add_argument("--scenario", action="append", help="this one alone; may be given again")
    usage.add_argument("--shape", type=shape, metavar="CORES:THREADS",
                       help="of every run, such as 72:72 or 128:130; else drawn, 12 cores and 16 threads at most")
    usage.add_argument("--jobs", type=positive, default=1, help="runs at a time (1)")
    given = usage.parse_args()
    if given.shape:
        SHAPES[:] = [given.shape]

    given.program = given.program.resolve()
    known = scenarios_of(given.program)
    chosen = given.scenario or known
    for name in chosen:
        if name not in known:
            usage.error(f"--scenario {name}: allowed is one of {', '.join(known)}")
    first = random.SystemRandom().randrange(1, 2**31) if given.random else given.first_seed
    seeds = [given.seed] if given.seed else range(first, 2**53)

    begun = time.monotonic()
    differ = 0
    if not given.seed:
        for run in repeats(given.program, chosen, begun + given.seconds / 2):
            differ += 1
            run.say("the same seed gave another run")
    left = given.seconds - (time.monotonic() - begun)
    failed, runs, tried = until_found(given.program, chosen, seeds, max(left, 1), given.jobs,
                                      tell=lambda run: run.say(f"status {run.status}"))
    print(f"{len(chosen)} scenarios, {runs} runs, seeds {seeds[0]} to {seeds[0] + tried - 1}: {len(failed)} failed"
          + (f", {differ} could not be repeated" if differ else ""))
    if runs == 0:
        sys.exit("run.py: nothing was run")
    sys.exit(1 if failed or differ else 0)


if __name__ == "__main__":
    try:
        main()
    except Refused as refused:
        sys.exit(str(refused))
