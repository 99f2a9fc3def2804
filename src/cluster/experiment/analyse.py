#!/usr/bin/env python3
"""Compares arms by the makespans that bough_cluster_experiment has written: for each workload, number of ranks, delay,
unevenness and number of steals at once the geometric mean of an arm's makespan divided by the baseline's, paired by
seed, with a 95 % bootstrap interval. An interval that holds 1 is marked "no difference shown".

    analyse.py FILE.csv... [--baseline A2] [--arms A4,A6] [--where uneven=none,ranks=20] [--plot FILE.png] [--scaling FILE.png] [--keep FILE.csv]

--scaling draws makespans and counters over the number of ranks; --keep writes the runs with one line for each cell and arm. Both forms can be read.
"""

import argparse
import collections
import csv
import sys

try:
    import numpy
except ImportError:
    sys.exit(f"analyse.py: {sys.executable} has no numpy; /usr/bin/python3 has Debian's (apt install python3-numpy)")

ROUNDS = 5000
CELL = ["workload", "ranks", "delay_us", "uneven", "at_once"]
COUNTS = ["steals", "steals_failed", "tasks_stolen", "questions", "messages"]
FORMS = {"workload": str, "uneven": str, "ranks": int, "delay_us": int, "at_once": int}


class Arm:
    """The runs of one arm in one cell."""

    def __init__(self):
        self.makespan = {}  # us, by seed
        self.counts = collections.Counter()  # sums over the seeds

    def mean(self, count):
        return self.counts[count] / len(self.makespan)


def read(names):
    runs = collections.defaultdict(Arm)
    for name in names:
        with open(name, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                arm = runs[tuple(FORMS[c](row[c]) for c in CELL), row["arm"]]
                if "makespans_us" in row:
                    first = int(row["first_seed"])
                    arm.makespan.update(enumerate(map(int, row["makespans_us"].split()), first))
                else:
                    arm.makespan[int(row["seed"])] = round(int(row["makespan_ns"]) / 1000)
                for count in COUNTS:
                    arm.counts[count] += int(row[count])
    return runs


def keep(name, runs):
    with open(name, "w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(CELL + ["arm"] + COUNTS + ["first_seed", "makespans_us"])
        for (cell, arm), of in sorted(runs.items()):
            seeds = sorted(of.makespan)
            if seeds != list(range(seeds[0], seeds[0] + len(seeds))):
                raise SystemExit(f"{cell} {arm}: seeds are missing between {seeds[0]} and {seeds[-1]}")
            spans = " ".join(str(of.makespan[s]) for s in seeds)
            lines.writerow([*cell, arm, *(of.counts[c] for c in COUNTS), seeds[0], spans])


def ratio(mine, theirs):
    """The ratio of the geometric means and its interval."""
    seeds = sorted(mine.keys() & theirs.keys())
    logs = numpy.log([mine[s] / theirs[s] for s in seeds])
    drawn = numpy.random.default_rng(1).choice(logs, (ROUNDS, len(logs))).mean(axis=1)
    return tuple(numpy.exp([logs.mean(), *numpy.percentile(drawn, [2.5, 97.5])])), len(seeds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--baseline", default="A2")
    parser.add_argument("--arms", help="only these")
    parser.add_argument("--where", default="", help="only cells with these values")
    parser.add_argument("--plot")
    parser.add_argument("--scaling")
    parser.add_argument("--keep")
    o = parser.parse_args()
    try:
        runs = read(o.files)
    except OSError as e:
        sys.exit(f"analyse.py: {e.filename}: {e.strerror}")
    if o.keep:
        keep(o.keep, runs)
    there = {arm for _, arm in runs}
    wanted = o.arms.split(",") if o.arms else there
    if unknown := sorted({*wanted, o.baseline} - there):
        sys.exit(f"analyse.py: no run of {', '.join(unknown)}; there are {', '.join(sorted(there))}")
    cells = sorted({cell for cell, _ in runs if fits(cell, o.where)})
    arms = sorted(set(wanted) - {o.baseline})
    found = {}
    print(f"| workload | ranks | delay, us | uneven | steals at once | arm / {o.baseline} | makespan | 95 % interval | messages | seeds | |")
    print("|" + "---|" * 11)
    for cell in cells:
        for arm in arms:
            if (cell, arm) not in runs or (cell, o.baseline) not in runs:
                continue
            mine, theirs = runs[cell, arm], runs[cell, o.baseline]
            (mean, low, high), seeds = found[cell, arm] = ratio(mine.makespan, theirs.makespan)
            note = "no difference shown" if low <= 1 <= high else ""
            messages = mine.mean("messages") / theirs.mean("messages")
            print("|", " | ".join(map(str, cell)), f"| {arm} | {mean:.3f} | {low:.3f} to {high:.3f} | {messages:.2f} | {seeds} | {note} |")
    summarise(arms, o.baseline, found)
    if o.plot:
        draw(o.plot, o.baseline, cells, arms, found)
    if o.scaling:
        draw_scaling(o.scaling, runs)


def fits(cell, where):
    for one in filter(None, where.split(",")):
        name, _, value = one.partition("=")
        if name not in CELL or not value:
            raise SystemExit(f"--where {one}: wanted is NAME=VALUE, NAME one of {', '.join(CELL)}")
        if str(cell[CELL.index(name)]) != value:
            return False
    return True


def summarise(arms, baseline, found):
    print(f"\n| arm / {baseline} | cells | faster | no difference shown | slower | least | geometric mean of cells | greatest |")
    print("|" + "---|" * 8)
    for arm in arms:
        of_arm = [interval for (_, a), (interval, _) in found.items() if a == arm]
        faster, slower = sum(high < 1 for _, _, high in of_arm), sum(low > 1 for _, low, _ in of_arm)
        means = numpy.array([m for m, _, _ in of_arm])
        if of_arm:
            print(f"| {arm} | {len(of_arm)} | {faster} | {len(of_arm) - faster - slower} | {slower} "
                  f"| {means.min():.3f} | {numpy.exp(numpy.log(means).mean()):.3f} | {means.max():.3f} |")


def draw(name, baseline, cells, arms, found):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    cells = [c for c in cells if any((c, arm) in found for arm in arms)]
    figure, axes = pyplot.subplots(figsize=(9, 1 + 0.2 * len(cells)))
    for place, arm in enumerate(arms):
        known = [(i, found[cell, arm][0]) for i, cell in enumerate(cells) if (cell, arm) in found]
        middle = numpy.array([r[0] for _, r in known])
        spread = [middle - [r[1] for _, r in known], [r[2] for _, r in known] - middle]
        places = [i + 0.09 * (place - (len(arms) - 1) / 2) for i, _ in known]
        axes.errorbar(middle, places, xerr=spread, fmt="o", ms=3, lw=0.8, label=arm)
    axes.axvline(1, color="grey", lw=0.8)
    axes.set_xscale("log")
    ticks = [t for t in (0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4) if axes.get_xlim()[0] <= t <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, [str(t) for t in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(cells)), [label(*c) for c in cells], fontsize=7)
    axes.set_ylim(len(cells) - 0.5, -0.5)
    axes.set_xlabel(f"makespan / that of {baseline}, 95 % intervals; left: faster")
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(name, dpi=90)


def draw_scaling(name, runs):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    panels = {"makespan, s": lambda of: numpy.exp(numpy.log(list(of.makespan.values())).mean()) / 1e6,
              "messages": lambda of: of.mean("messages"),
              "steals": lambda of: of.mean("steals"),
              "failed steals": lambda of: of.mean("steals_failed")}
    figure, axes = pyplot.subplots(1, len(panels), figsize=(13, 3.6))
    lines = sorted({(cell[0], arm) for cell, arm in runs})
    for place, (title, value) in zip(axes, panels.items()):
        for workload, arm in lines:
            points = sorted((cell[1], value(of)) for (cell, a), of in runs.items() if (cell[0], a) == (workload, arm))
            place.plot(*zip(*points), "o-", ms=3, lw=0.8, label=f"{workload}, {arm}")
        place.set(xscale="log", yscale="log", xlabel="ranks", title=title)
    axes[0].legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(name, dpi=90)


def label(workload, ranks, delay, uneven, at_once):
    return f"{workload}, {ranks} ranks, {delay} us" + (f", {uneven}" if uneven != "none" else "") + f", {at_once} at once"


if __name__ == "__main__":
    main()
