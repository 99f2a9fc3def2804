"""What came out: a table, JSON, a plot. Each says that its times are virtual, and of which machine."""

import json
import shutil
import statistics
import subprocess

from .build import ONETBB_SOURCE, ROOT
from .options import RUNTIMES
from .runs import is_bough


def label(o):
    return f"virtual, machine {o.machine.name}"


class Results:
    """The medians of runs, by case, runtime and cores."""

    def __init__(self, runs):
        self.medians = {}
        for run in runs:
            if run.samples:
                self.medians.setdefault((run.case, run.runtime, run.cores), []).append(run.median)

    def of(self, case, runtime, cores):
        """Median, least and most over seeds and prices, in ns; or None."""
        found = self.medians.get((case, runtime, cores))
        return (statistics.median(found), min(found), max(found)) if found else None


def microseconds(ns):
    us = ns / 1000
    return f"{us:.3f}" if us < 10 else f"{us:.2f}" if us < 100 else f"{us:.1f}" if us < 1000 else f"{us:.0f}"


def cell(found):
    if found is None:
        return "-"
    middle, least, most = found
    if least == most:
        return microseconds(middle)
    return f"{microseconds(middle)} [{microseconds(least)}, {microseconds(most)}]"


def table(o, runs):
    results = Results(runs)
    over = f"{o.seeds} seeds" if o.seeds > 1 else "1 seed"
    if len(o.prices) > 1:
        over += " and prices x " + ", ".join(f"{price:g}" for price in o.prices)
    lines = [f"{label(o)} ({o.machine.description.get('name', '')}): µs, median [least, most] over {over}"]
    for case in o.cases:
        runtimes = o.wanted[case]
        if not runtimes:
            continue
        rows = [[o.title or case, "cores", *runtimes]]
        rows += [["", str(cores), *(cell(results.of(case, runtime, cores)) for runtime in runtimes)] for cores in o.cores]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines.append("")
        for row in rows:
            lines.append(row[0].ljust(widths[0]) + "".join("  " + row[i].rjust(widths[i]) for i in range(1, len(row))))
    if o.program and any(is_bough(runtime) for runtime in o.wanted["program"]):
        lines += ["", "Some 30 µs of bough's time are its start: before the first loop it reads its settings and the topology. To "
                      "compare loops, time many or long ones."]
    return "\n".join(lines)


def git(*words):
    if not shutil.which("git"):
        return None
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def write_json(o, runs, file):
    everything = {
        "virtual": True,
        "label": label(o),
        "machine": {"file": o.machine.file.name, **o.machine.description},
        "bough": {"commit": git("rev-parse", "HEAD"), "changed": bool(git("status", "--porcelain", "--untracked-files=no"))},
        "onetbb": "2021.8.0" if ONETBB_SOURCE.is_dir() else None,
        "program": o.program,
        "cores": o.cores,
        "seeds": list(range(1, o.seeds + 1)),
        "prices": o.prices,
        "runs": [{"case": run.case, "runtime": run.runtime, "cores": run.cores, "seed": run.seed, "prices": run.price,
                  "counts": run.counts, "starts_ns": run.starts,
                  "samples_ns": run.samples, "failure": run.failure, "real_seconds": round(run.real_seconds, 2)}
                 for run in runs],
    }
    with open(file, "w", encoding="utf-8") as out:
        json.dump(everything, out, indent=1)
        out.write("\n")


def plot_starts(o, runs, file):
    """Task i of n begins: a curve for each runtime, a picture for each case and number of cores that prints starts."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pictures = sorted({(run.case, run.cores) for run in runs if run.starts})
    if not pictures:
        return False
    figure, all_axes = pyplot.subplots(1, len(pictures), figsize=(6 * len(pictures), 4.5), squeeze=False)
    for (case, cores), axes in zip(pictures, all_axes.flat):
        for runtime in o.wanted[case]:
            of_seeds = [run.starts for run in runs if run.starts and (run.case, run.cores, run.runtime) == (case, cores, runtime)]
            if of_seeds:
                us = [statistics.median(values) / 1000 for values in zip(*of_seeds)]
                axes.plot(range(1, len(us) + 1), us, color=COLOURS[runtime], marker=".", markersize=3, label=runtime)
        axes.set_yscale("log")
        axes.set(title=f"{case}, {cores} cores", xlabel="task, in the order of beginning", ylabel="begins after, µs (virtual)")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
    figure.suptitle(label(o))
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    figure.savefig(file, dpi=130)
    pyplot.close(figure)
    return True


COLOURS = dict(zip(RUNTIMES, ["black", "#1a7f37", "#74c69d", "#b5a300", "#e08e0b", "#c2410c", "#d6336c", "#9c36b5", "#5f3dc4",
                              "#0b5cad", "#0a2f5c", "#8ec1f5", "#0b5cad", "#3f8fe0"]))


def plot(o, runs, file):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    results = Results(runs)
    cases = [case for case in o.cases if o.wanted[case]]
    columns = min(3, len(cases))
    rows = -(-len(cases) // columns)
    figure, all_axes = pyplot.subplots(rows, columns, figsize=(5.5 * columns, 4 * rows), squeeze=False)
    for axes in all_axes.flat[len(cases):]:
        axes.set_visible(False)
    for case, axes in zip(cases, all_axes.flat):
        for runtime in o.wanted[case]:
            points = [(cores, *found) for cores in o.cores if (found := results.of(case, runtime, cores))]
            if not points:
                continue
            cores, middle, least, most = zip(*points)
            us = [[value / 1000 for value in values] for values in (middle, least, most)]
            axes.plot(cores, us[0], ":" if runtime == "hand" else "-", color=COLOURS[runtime], marker=".", label=runtime)
            axes.fill_between(cores, us[1], us[2], color=COLOURS[runtime], alpha=0.2, linewidth=0)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(o.cores, [str(cores) for cores in o.cores])
        axes.set(title=o.title or case, xlabel="cores", ylabel="time, µs (virtual)")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
    over = "1 seed" if o.seeds == 1 else f"{o.seeds} seeds"
    figure.suptitle(f"{label(o)}; bands: {over}, prices x " + ", ".join(f"{price:g}" for price in o.prices))
    figure.tight_layout(rect=(0, 0, 1, 0.98))
    figure.savefig(file, dpi=130)
    pyplot.close(figure)
