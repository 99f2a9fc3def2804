"""PNG plots in the manner of the hybrid paper."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402  (the backend comes first)

STYLES = {"serial": ("0.4", ":"), "bough": ("#1a7f37", "-"), "bough_classic": ("#74c69d", "--"),
          "tbb_auto": ("#0b5cad", "-"), "tbb_affinity": ("#3f8fe0", "--"), "tbb_simple": ("#8ec1f5", "-."),
          "tbb_static": ("#0a2f5c", ":"), "omp_static": ("#c1121f", "-"), "omp_dynamic": ("#e5737b", "--"),
          "omp_guided": ("#8b0000", "-."), "eigen": ("#b07d00", "-"), "raw": ("black", ":")}
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


def ratio_chart(summary, folder):
    rows = summary["best_peer"]
    figure, axes = pyplot.subplots(figsize=(7, 1 + 0.2 * len(rows)))
    for y, c in enumerate(rows.values()):
        slower = c["low"] > summary["limit"]
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
    axes.set(xlabel="bough / best peer (95 % interval; left of 1 bough is faster)")
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
        if group.split("/")[0] in NESTED:
            names.append(nested_bars(results, group, sizes, folder))
        if len(sizes) >= 3:
            names.append(time_plot(results, group, sizes, folder))
    if summary["best_peer"]:
        names.append(ratio_chart(summary, folder))
    if summary["latency"]:
        names.append(latency_bars(results, summary["latency"], folder))
    return names
