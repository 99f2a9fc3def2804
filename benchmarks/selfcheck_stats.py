#!/usr/bin/python3
"""The interval is the one that the binomial distribution asks for, and verdicts follow from it: a planted slower case is
found, and not claimed from too few rounds. A program of its own, as run.py is: it needs numpy. selfcheck.py runs it."""

import pathlib
import random
import sys

from runner import dropin, intervals, report, summary
from runner.results import Results

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
SLOWER = 1.3  # of its peer
SEED = 1


failures = []


def check(name, passed, shown=""):
    if not passed:
        print(f"FAIL {name}: {shown.strip()[-300:]}")
        failures.append(name)


def check_intervals():
    for n, low, high, covered in ((1, 1, 1, 0.0), (2, 1, 2, 50.0), (4, 1, 4, 87.5), (5, 1, 5, 93.8), (6, 1, 6, 96.9),
                                  (8, 1, 8, 99.2), (9, 2, 8, 96.1), (12, 3, 10, 96.1), (1000, 469, 532, 95.4)):
        c = intervals.median_interval(random.Random(SEED).sample(range(1, n + 1), n))
        found = (c["low"], c["high"], round(100 * c["coverage"], 1), c["n"])
        check(f"interval of {n}: {low} to {high}, {covered} %", found == (low, high, covered, n), str(found))
        check(f"{n} pairs decide or not", intervals.decides(c) == (c["coverage"] >= intervals.COVERAGE) == (n > 5))
    c = intervals.median_interval([3.0, 1.0, 2.0])
    check("the ratio is the median", c["ratio"] == 2.0, str(c))


def check_coverage():
    """That the coverage is so, of a skewed distribution whose median is 1."""
    generator = random.Random(SEED)
    for n in (4, 6, 12):
        runs = [intervals.median_interval([2 ** generator.gauss(0, 1) for _ in range(n)]) for _ in range(4000)]
        held = sum(c["low"] <= 1 <= c["high"] for c in runs) / len(runs)
        check(f"the interval of {n} holds the median in {100 * held:.1f} % of 4000 runs",
              abs(held - runs[0]["coverage"]) < 0.02, str(runs[0]["coverage"]))


def planted(rounds):
    """Two cases: of fib bough takes 1.3 of its peer, of nqueens half, with noise of 2 %."""
    generator = random.Random(SEED)

    def times(ns):
        return [[ns * generator.gauss(1, 0.02)] for _ in range(rounds)]

    results = Results.__new__(Results)
    results.cases, results.runtimes = ["fib/recursive/30", "nqueens/all/11"], ["bough", "bough_classic", "tbb_invoke"]
    results.times = {case: {"bough": times(ns), "bough_classic": times(2 * ns), "tbb_invoke": times(1e5)}
                     for case, ns in zip(results.cases, (SLOWER * 1e5, 0.5e5))}
    results.more = {case: {} for case in results.cases}
    results.latency, results.more_starts, results.first_calls, results.ping_ns = [], [], {}, None
    results.errors, results.failed, results.versions, results.compiler = {}, {}, {}, "?"
    results.settings = {"threads": 2, "cpus": 2, "rounds": rounds, "sizes": "quick", "date": "", "others_cpus": 0}
    results.machine = {"cpu": "none", "kernel": "none"}
    return results


def check_planted_slower():
    for rounds, slower, text in ((12, ["fib/recursive/30"], "order statistics of the median, 6 pairs, at least 95 %"),
                                 (8, [], "min to max of 4 pairs, 87.5 %")):
        results = planted(rounds)
        found = summary.summarise(results, False)
        short, _ = report.write(results, found, False, [])
        verdicts = {g["goal"].split(" of its")[0]: g["verdict"] for g in found["goals"]}
        check(f"{rounds} rounds: slower is {slower or 'none'}", found["slower"] == slower, str(found["slower"]))
        check(f"{rounds} rounds: the verdict", verdicts["no case above 1.03"] ==
              ("missed" if slower else "undecided, 4 pairs"), str(verdicts))
        check(f"{rounds} rounds: the report says so", text in short and ("Undecided, for too few pairs: 2 of 2" in short)
              == (not slower) and "No case above" not in short, short)
    means = found["means"]
    check("means by problem and to bough_classic", list(means) ==
          ["bough / best peer, all cases", "fib", "nqueens", "bough / bough_classic, all cases",
           "bough / bough_classic, cases of 10 µs or more"] and abs(means["fib"]["ratio"] - SLOWER) < 0.05
          and abs(means["bough / bough_classic, all cases"]["ratio"] - 0.5) < 0.02, str(means))


def check_kept_results():
    """What is committed still makes a report, but for the oldest, which lack some of the numbers."""
    kept = [path for path in RESULTS.rglob("results.json") if "papers" not in str(path) and '"more_starts"' in path.read_text()]
    check("there are kept results", len(kept) > 1, str(kept))
    for path in kept:
        results = Results.load(path)
        crowded = results.settings["threads"] > results.settings["cpus"]
        kind = dropin if path.with_name("report.md").read_text().startswith("# Unmodified") else None
        short, _ = (kind or report).write(results, (kind or summary).summarise(results, crowded), crowded, [])
        check(f"report of {path.parent}", "Interval: " in short and "| goal |" in short, short)


if __name__ == "__main__":
    for each in (check_intervals, check_coverage, check_planted_slower, check_kept_results):
        each()
    sys.exit(1 if failures else 0)
