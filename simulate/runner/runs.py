"""Runs each case on each runtime, with each number of cores, seed and price: every run a process of its own.

Nothing of the user's gets into a run: the environment holds the machine's settings, and options.SETTINGS
of the runtime. It has no home directory, so no profile measured on the host, which would say nothing of the simulated machine:
bough takes its defaults.
"""

import concurrent.futures
import itertools
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time

from .build import executable
from .options import BOUGH, FORKS, FORMS, HERE, SETTINGS, stop


IDLE = 30  # seconds: a run that uses no processor for so long waits for something that is not simulated
TICK = os.sysconf("SC_CLK_TCK")
alive = set()  # the processes of runs; killed when the tool is ended


class Run:
    def __init__(self, case, runtime, cores, seed, price):
        self.case, self.runtime, self.cores, self.seed, self.price = case, runtime, cores, seed, price
        self.samples = []  # ns
        self.trace = None  # a path without its end: the run is only for what is written there
        self.failure = None  # one line
        self.report = ""  # what a failed run said
        self.starts = []  # ns: medians over the rounds of when the first, second ... unit began
        self.counts = {}  # what bough counted, where it was asked to
        self.refused = False  # by the machine: no other run would do better
        self.real_seconds = 0

    @property
    def median(self):
        return statistics.median(self.samples)

    @property
    def label(self):
        return f"{self.case} on {self.runtime}, {self.cores} cores, seed {self.seed}, prices x{self.price:g}"


def planned(o):
    """The small ones first, so that something can be seen soon."""
    runs = [Run(case, runtime, cores, seed, price)
            for cores, case, seed, price in itertools.product(o.cores, o.cases, range(1, o.seeds + 1), o.prices)
            for runtime in o.wanted[case]]
    if o.trace:
        traced = [Run(run.case, run.runtime, run.cores, run.seed, run.price) for run in runs
                  if run.seed == 1 and run.price == o.prices[0]]
        os.makedirs(o.trace, exist_ok=True)
        for run in traced:
            run.trace = os.path.abspath(os.path.join(o.trace, f"{o.title or run.case}-{run.runtime}-{run.cores}"))
        runs += traced
    return runs


def environment(o, run):
    own = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "SIMULATE_MACHINE": str(o.machine.file.resolve()),
           "SIMULATE_CORES": str(run.cores), "SIMULATE_SEED": str(run.seed), "SIMULATE_PRICES": f"{run.price:g}",
           "SIMULATE_SUMMARY": "1"}
    own.update(SETTINGS.get(run.runtime, {}))
    if sends_mail(run.runtime) or o.counts and is_bough(run.runtime):
        own["BOUGH_STATS"] = "1"
    if run.trace:  # in a run of its own: what the machine keeps for it moves the program's memory
        own["SIMULATE_TRACE"] = run.trace + ".raw"
    return own


def is_bough(runtime):
    return runtime == BOUGH or runtime in FORMS


def sends_mail(runtime):
    return FORMS.get(runtime, {}).get("BOUGH_MAIL") in ("letters", "always")


def execute(o, run):
    words = ["/bin/sh", "-c", 'ulimit -t "$0"; exec "$@"', str(o.time_limit), executable(run.case, run.runtime)]
    if not o.program:
        words.append(BOUGH if run.runtime in FORMS else run.runtime)
    began = time.monotonic()
    done = finish(subprocess.Popen(words, env=environment(o, run), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors="replace", cwd="/"))
    run.real_seconds = time.monotonic() - began
    if done is None:
        run.failure = f"uses no processor for {IDLE} s: it waits for something outside of the machine, as a pipe"
        return run
    said = [line for line in SUMMARY.sub("", done.stderr).splitlines() if line]
    refused = next((line for line in said if line.startswith("simulate: ")), None)
    if done.returncode == 2 and refused:
        run.failure = refused.removeprefix("simulate: ")
        run.refused = True
    elif done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        run.failure = f"not done in {o.time_limit} s (--time-limit)"
    elif done.returncode != 0:
        run.report = with_places(done.stderr, executable(run.case, run.runtime))
        run.failure = reason(done.returncode, refused or (said[-1] if said else None))
    else:
        run.samples = samples(o, done)
        run.starts = starts(done.stdout)
        run.counts = {name: int(n) for line in said if line.startswith("bough: spawned ")
                      for name, n in re.findall(r"([a-z-]+) (\d+)(?= |,|$)", line)}
        if not run.samples:
            run.failure = "printed no times"
        elif run.case in FORKS and sends_mail(run.runtime) and run.cores > 1 and not run.counts.get("mailed"):
            run.failure = "sent no letter: its times say nothing of mail"
        if run.trace:
            explain(run)
    return run


def with_places(report, program):
    """A hang's report, with functions and lines in place of addresses."""
    addresses = sorted(set(re.findall(r"^ {6}(0x[0-9a-f]+)", report, re.MULTILINE)))
    if not addresses:
        return report
    # The call lies before the address that it returns to.
    found = subprocess.run(["addr2line", "-e", program, "-Cfpsi"] + [hex(int(one, 16) - 1) for one in addresses],
                           capture_output=True, text=True, check=False).stdout
    calls = re.sub("\n \\(inlined by\\) ", "\t", found).splitlines()
    known = {}
    for one, inlined in zip(addresses, calls):
        places = [place for place in inlined.split("\t") if not place.startswith("??")]
        if places:  # rather the user's line than that of a header which was inlined there
            known[one] = next((place for place in places if re.search(r"\.(cpp|cc|cxx):", place)), places[0])
    return re.sub(r"^ {6}(0x[0-9a-f]+)(.*)$", lambda m: f"      {known.get(m[1], m[1] + m[2])}", report, flags=re.MULTILINE)


def reason(status, said):
    ended = f"ended by signal {-status} ({signal.strsignal(-status)})" if status < 0 else f"ended with status {status}"
    return f"{ended}: {said}" if said else f"{ended}, without a word"


def processor_seconds(process):
    """What it has used so far; None when it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK
    except (OSError, IndexError):
        return None


def finish(process):
    """Its output, when it has ended; None if it had to be killed, as it did nothing."""
    alive.add(process)
    used, since = -1, time.monotonic()
    try:
        while True:
            try:
                out, err = process.communicate(timeout=2)
                return subprocess.CompletedProcess(process.args, process.returncode, out, err)
            except subprocess.TimeoutExpired:
                now = processor_seconds(process)
                if now != used:
                    used, since = now, time.monotonic()
                elif time.monotonic() - since > IDLE:
                    process.kill()
                    process.communicate()
                    return None
    finally:
        alive.discard(process)


def kill_all():
    for process in list(alive):
        process.kill()


def explain(run):
    text = subprocess.run([sys.executable, HERE / "trace.py", run.trace + ".raw", executable(run.case, run.runtime), "--chrome",
                           run.trace + ".chrome.json"], capture_output=True, text=True, check=False)
    os.remove(run.trace + ".raw")
    if text.returncode != 0:
        run.failure = f"trace.py failed: {text.stderr.splitlines()[-1:]}"
    pathlib.Path(run.trace + ".txt").write_text(f"virtual: {run.label}\n{text.stdout}")


SUMMARY = re.compile(r"simulate: ([0-9.]+) us, [0-9]+ accesses.*\n?")


def samples(o, done):
    """A case prints WAY NANOSECONDS for each round; of a program counts the virtual time from main()'s begin to its end."""
    if o.program:
        return [float(us) * 1000 for us in SUMMARY.findall(done.stderr)[-1:]]
    return [float(line.split()[1]) for line in done.stdout.splitlines()
            if len(line.split()) == 2 and not line.startswith("starts ")]


def starts(said):
    """Of cases that print "starts WAY NANOSECONDS ..." for each round, in the order of beginning."""
    rounds = [[float(ns) for ns in line.split()[2:]] for line in said.splitlines() if line.startswith("starts ")]
    return [statistics.median(of_all) for of_all in zip(*rounds)]


class Progress:
    def __init__(self, runs):
        self.total = sum(run.cores for run in runs)
        self.count, self.number, self.done = 0, len(runs), 0
        self.began = self.said = time.monotonic()

    def step(self, run):
        self.count += 1
        self.done += run.cores
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if not terminal and now - self.said < 10 and self.count < self.number:
            return
        self.said = now
        left = (now - self.began) * (self.total - self.done) / self.done
        print(f"{chr(13) if terminal else ''}{self.count} of {self.number} runs, some {left:.0f} s left; {run.case} on "
              f"{run.runtime}, {run.cores} cores", end=f"{chr(27)}[K" if terminal else "\n", file=sys.stderr, flush=True)

    @staticmethod
    def end():
        if sys.stderr.isatty():
            print(file=sys.stderr)


def execute_all(o):
    """One host thread for each: virtual time does not depend on what else the host does."""
    runs = planned(o)
    progress = Progress(runs)
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SIMULATE_JOBS", "2"))) as pool:
        try:
            for done in concurrent.futures.as_completed([pool.submit(execute, o, run) for run in runs]):
                run = done.result()
                progress.step(run)
                if run.refused:
                    pool.shutdown(cancel_futures=True)
                    progress.end()
                    stop(f"{o.program or run.case}: {run.failure}")
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    progress.end()
    return runs
