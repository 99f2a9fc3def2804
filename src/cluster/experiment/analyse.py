#!/usr/bin/env python3
"""Compares arms by the makespans that bough_cluster_experiment has written: for each workload, number of ranks and delay
the geometric mean of an arm's makespan divided by the baseline's, paired by seed, with a 95 % bootstrap interval.
An interval that holds 1 is marked "no difference shown".

    analyse.py FILE.csv [--baseline A2] [--plot FILE.png]
"""

import argparse
import collections
import csv

import numpy

ROUNDS = 5000


def read(name):
    runs = collections.defaultdict(dict)  # (workload, ranks, delay, uneven), arm -> seed -> makespan
    with open(name, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cell = row["workload"], int(row["ranks"]), int(row["delay_us"]), row["uneven"]
            runs[cell, row["arm"]][int(row["seed"])] = int(row["makespan_ns"])
    return runs


def ratio(mine, theirs, random):
    """The ratio of the geometric means and its interval."""
    seeds = sorted(mine.keys() & theirs.keys())
    logs = numpy.log([mine[s] / theirs[s] for s in seeds])
    drawn = random.choice(logs, (ROUNDS, len(logs))).mean(axis=1)
    return tuple(numpy.exp([logs.mean(), *numpy.percentile(drawn, [2.5, 97.5])])), len(seeds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--baseline", default="A2")
    parser.add_argument("--plot")
    o = parser.parse_args()
    runs = read(o.file)
    cells = sorted({cell for cell, _ in runs})
    arms = sorted({arm for _, arm in runs} - {o.baseline})
    random = numpy.random.default_rng(1)
    found = {}
    print(f"| workload | ranks | delay, us | uneven | arm / {o.baseline} | ratio | 95 % interval | seeds | |\n|" + "---|" * 9)
    for cell in cells:
        for arm in arms:
            if not runs.get((cell, arm)) or not runs.get((cell, o.baseline)):
                continue
            (mean, low, high), seeds = found[cell, arm] = ratio(runs[cell, arm], runs[cell, o.baseline], random)
            note = "no difference shown" if low <= 1 <= high else ""
            print(f"| {cell[0]} | {cell[1]} | {cell[2]} | {cell[3]} | {arm} | {mean:.3f} | {low:.3f} to {high:.3f} | {seeds} | {note} |")
    if o.plot:
        draw(o.plot, o.baseline, cells, arms, found)


def draw(name, baseline, cells, arms, found):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(9, 1 + 0.28 * len(cells)))
    for place, arm in enumerate(arms):
        known = [(i, found[cell, arm][0]) for i, cell in enumerate(cells) if (cell, arm) in found]
        middle = numpy.array([r[0] for _, r in known])
        spread = [middle - [r[1] for _, r in known], [r[2] for _, r in known] - middle]
        axes.errorbar(middle, [i + 0.07 * (place - len(arms) / 2) for i, _ in known], xerr=spread, fmt="o", ms=3, label=arm)
    axes.axvline(1, color="grey", lw=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(cells)), [f"{w}, {r} ranks, {d} us, {u}" for w, r, d, u in cells], fontsize=7)
    axes.set_xlabel(f"makespan / that of {baseline}; left: faster")
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(name, dpi=120)


if __name__ == "__main__":
    main()
