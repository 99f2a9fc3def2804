"""Draws what bough-calibrate measured: plot.py RESULTS.json OUTPUT.png. It is compiled into bough-calibrate."""

import json
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator
except ImportError:
    sys.exit(3)  # plot.cpp then tries the next interpreter


# How a loop reaches the threads, with its colour and mark in both halves of the figure.
WAYS = (("tree", "tab:blue", "o"), ("stealing", "tab:orange", "s"))


def draw_percentiles(axes, distribution):
    for name, colour, mark in WAYS:
        teams = [t for t in distribution[name]["teams"] if t["time_ns"]["count"]]
        sizes = [t["threads"] for t in teams]
        for percentile, style, words in (("p50", "-", "median"), ("p99", ":", "99th percentile")):
            times = [t["time_ns"][percentile] for t in teams]
            fill = colour if percentile == "p50" else "white"
            axes.plot(sizes, times, style, color=colour, marker=mark, markerfacecolor=fill, label=f"{name}, {words}")
    axes.margins(0.1)
    axes.set_xlabel("threads")
    axes.set_ylabel("distribution time, ns")
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.legend()


def draw_histogram(axes, distribution, chosen):
    for name, colour, _ in WAYS:
        teams = distribution[name]["teams"]
        if not teams or not teams[-1]["histogram"]:
            continue
        bins = teams[-1]["histogram"]
        left = [b["from_ns"] for b in bins]
        width = [b["to_ns"] - b["from_ns"] for b in bins]
        label = f"{name}, {teams[-1]['threads']} threads"
        axes.bar(left, [b["count"] for b in bins], width, align="edge", alpha=0.6, color=colour, label=label)
    timespans = chosen["values"]["timespan"]["value"]
    axes.axvline(timespans[-1], color="black", linestyle=":", label="chosen timespan")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("distribution time, ns")
    axes.set_ylabel("calls")
    axes.legend()


def main(source, target):
    with open(source, encoding="utf-8") as file:
        results = json.load(file)
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5))
    draw_percentiles(left, results["distribution"])
    draw_histogram(right, results["distribution"], results["profile"])
    figure.suptitle(f"{results['profile']['cpu']}, {results['profile']['date']}")
    figure.tight_layout()
    figure.savefig(target, dpi=120, format="png")


main(sys.argv[1], sys.argv[2])
