"""PNG plots in the manner of the hybrid paper."""

import matplotlib

from . import break_even
from .options import FORKS
from .summary import exceeds

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402  (the backend comes first)

STYLES = {"serial": ("0.4", ":"), "bough": ("#1a7f37", "-"), "bough_classic": ("#74c69d", "--"),
          "tbb_auto": ("#0b5cad", "-"), "tbb_affinity": ("#3f8fe0", "--"), "tbb_simple": ("#8ec1f5", "-."),
          "tbb_static": ("#0a2f5c", ":"), "omp_static": ("#c1121f", "-"), "omp_dynamic": ("#e5737b", "--"),
          "omp_guided": ("#8b0000", "-."), "eigen": ("#b07d00", "-"), "raw": ("black", ":"),
          "bough_group": ("#2d936c", "-."), "tbb_invoke": ("#0b5cad", "-"), "tbb_group": ("#3f8fe0", "--"),
          "omp_tasks": ("#c1121f", "-"), "taskflow": ("#7b2d8b", "-")}
NESTED = ("matmul", "transpose")


def groups(cases):
    """{problem/case: [size]}"""
    found = {}
    for case in cases:
        group, size = case.rsplit("/", 1)
        found.setdefault(group, []).append(int(size))
    return found


def save(figure, folder, name):
    figure.savefig(folder / name, dpi=130, bbox_inches="tight")
    pyplot.close(figure)
    return name


def time_plot(results, group, sizes, folder):
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for runtime in results.runtimes:
        points = [(n, results.median(f"{group}/{n}", runtime)) for n in sizes]
        points = [(n, t / 1000) for n, t in points if t]
        if points:
            colour, line = STYLES[runtime]
            axes.plot(*zip(*points), line, color=colour, marker="o" if runtime == "bough" else ".", label=runtime,
                      linewidth=2.2 if runtime == "bough" else 1.2, zorder=3 if runtime == "bough" else 2)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set(xlabel="size", ylabel="time, µs", title=f"{group}, {results.settings['threads']} threads")
    axes.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7, ncols=2)
    return save(figure, folder, group.replace("/", "_") + ".png")


def nested_bars(results, group, sizes, folder):
    """Best time / time: the best has 1.0, higher is better."""
    figure, all_axes = pyplot.subplots(1, len(sizes), figsize=(3.2 * len(sizes), 4), squeeze=False, sharey=True)
    for axes, n in zip(all_axes[0], sizes):
        times = {r: results.median(f"{group}/{n}", r) for r in results.runtimes if r != "serial"}
        times = {r: t for r, t in times.items() if t}
        if not times:
            continue
        best = min(times.values())
        axes.bar(list(times), [best / t for t in times.values()], color=[STYLES[r][0] for r in times])
        axes.tick_params(axis="x", rotation=90, labelsize=7)
        axes.set_title(f"{group}, {n}", fontsize=9)
        axes.grid(axis="y", alpha=0.3)
    all_axes[0][0].set_ylabel("best time / time")
    return save(figure, folder, group.replace("/", "_") + "_bars.png")


def fork_bars(results, folder):
    """As nested_bars, of the largest size of each case that runtimes without loops run too."""
    largest = {case.rsplit("/", 1)[0]: case for case in results.cases
               if any(results.median(case, runtime) for runtime in FORKS)}
    if not largest:
        return []
    columns = 4
    figure, all_axes = pyplot.subplots(-(-len(largest) // columns), columns, figsize=(12, 3.4 * -(-len(largest) // columns)),
                                       squeeze=False, sharey=True, layout="constrained")
    for axes, case in zip(all_axes.flat, largest.values()):
        times = {r: results.median(case, r) for r in results.runtimes}
        times = {r: t for r, t in times.items() if t}
        axes.bar(list(times), [min(times.values()) / t for t in times.values()], color=[STYLES[r][0] for r in times])
        axes.tick_params(axis="x", rotation=90, labelsize=7)
        axes.set_title(case, fontsize=9)
        axes.grid(axis="y", alpha=0.3)
    for axes in all_axes.flat[len(largest):]:
        axes.set_visible(False)
    all_axes[0][0].set_ylabel("best time / time")
    return [save(figure, folder, "fork_join.png")]


def break_even_plot(results, folder):
    """Serial time to parallel time: above 1 the loop pays."""
    found = break_even.sizes(results)
    if not any(break_even.curve(results, name, counts, runtime) for name, counts in found.items()
               for runtime in results.runtimes if runtime != "serial"):
        return []
    figure, all_axes = pyplot.subplots(1, len(found), figsize=(4.2 * len(found), 4.2), squeeze=False, sharey=True)
    for axes, (name, counts) in zip(all_axes[0], found.items()):
        for runtime in results.runtimes:
            points = break_even.curve(results, name, counts, runtime)
            if runtime != "serial" and points:
                colour, line = STYLES[runtime]
                axes.plot(*zip(*points), line, color=colour, label=runtime, linewidth=2.2 if runtime == "bough" else 1.2,
                          zorder=3 if runtime == "bough" else 2)
        axes.axhline(1, color="0.4", linewidth=0.8)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set(xlabel="iterations", title=f"about {name.replace('ns', ' ns')} each")
        axes.grid(alpha=0.3)
    all_axes[0][0].set(ylabel="serial time / time")
    all_axes[0][0].legend(fontsize=7)
    return [save(figure, folder, "break_even.png")]


def ratio_chart(summary, folder):
    rows = summary["best_peer"]
    figure, axes = pyplot.subplots(figsize=(7, 1 + 0.2 * len(rows)))
    for y, c in enumerate(rows.values()):
        slower = exceeds(c, summary["limit"])
        axes.barh(y, c["ratio"] - 1, left=1, color="#c1121f" if slower else "#1a7f37")
        axes.plot([c["low"], c["high"]], [y, y], color="black", linewidth=1)
    axes.set_yticks(range(len(rows)), [f"{case} ({c['peer']})" for case, c in rows.items()], fontsize=6)
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.axvline(summary["limit"], color="#c1121f", linewidth=0.8, linestyle="--")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    axes.set(xlabel="bough / best peer (with its interval; left of 1 bough is faster)")
    return save(figure, folder, "ratios.png")


def latency_bars(results, latency, folder):
    times = {"raw": latency["raw_ns"], "bough": latency["bough_ns"]}
    times.update({peer: c["ns"] for peer, c in latency["peers"].items()})
    figure, axes = pyplot.subplots(figsize=(7, 3.5))
    axes.bar(list(times), list(times.values()), color=[STYLES[r][0] for r in times])
    axes.set_yscale("log")
    axes.set(ylabel="ns", title=f"all {results.settings['threads']} threads started: last start minus call")
    axes.tick_params(axis="x", rotation=45, labelsize=8)
    axes.grid(axis="y", alpha=0.3)
    return save(figure, folder, "all_start.png")


def draw(results, summary, folder):
    """Names of the files written."""
    names = []
    for group, sizes in groups(results.cases).items():
        if group.startswith(break_even.PROBLEM):
            continue
        if group.split("/")[0] in NESTED:
            names.append(nested_bars(results, group, sizes, folder))
        if len(sizes) >= 3:
            names.append(time_plot(results, group, sizes, folder))
    names += fork_bars(results, folder) + break_even_plot(results, folder)
    if summary["best_peer"]:
        names.append(ratio_chart(summary, folder))
    if summary["latency"]:
        names.append(latency_bars(results, summary["latency"], folder))
    return names
