"""The plots of --papers. Each function writes one PNG and returns its name."""

from ..plots import STYLES, matplotlib, pyplot, save

COLOURS = {**{name: colour for name, (colour, _) in STYLES.items()}, "tbb": "#0b5cad", "bough_even": "#8c6bb1",
           "bough_even_9_16": "#c994c7", "bough_uneven": "#d95f0e", "mailbox": "#1a7f37", "chase-lev": "black",
           "mutex": "#c1121f", "abp": "#b07d00", "split": "#7b2d8b", "split-signal": "#0b5cad",
           "split-signal-conservative": "#3f8fe0", "split-signal-half": "#8ec1f5"}


def colour(name):
    return COLOURS.get(name.split("+")[-1], "0.5")


def plain(axis):
    axis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}" if f"{value:g}"[0] in "25" else ""))


def grouped_bars(folder, file, groups, rows, ylabel, log=False, line=None):
    """rows: {name: [height per group, or None]}"""
    figure, axes = pyplot.subplots(figsize=(max(7, 1.3 * len(groups)), 4.2))
    width = 0.8 / max(1, len(rows))
    for i, (name, heights) in enumerate(rows.items()):
        points = [(g + i * width, h) for g, h in enumerate(heights) if h is not None]
        axes.bar([x for x, _ in points], [h for _, h in points], width, color=colour(name), label=name)
    axes.set_xticks([g + 0.4 - width / 2 for g in range(len(groups))], groups, rotation=30, ha="right", fontsize=8)
    if log:
        axes.set_yscale("log")
        plain(axes.yaxis)
    if line is not None:
        axes.axhline(line, color="0.4", linewidth=0.8)
    axes.set_ylabel(ylabel)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(fontsize=7, ncols=5, loc="lower left", bbox_to_anchor=(0, 1))
    return save(figure, folder, file)


def curves(folder, file, rows, xlabel, ylabel, title="", faint=None, scale="log", mark_x=None):
    """rows, faint: {name: [(x, y)]}; a dashed line for faint."""
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for name, points in rows.items():
        axes.plot(*zip(*points), "-", color=colour(name), marker="o", markersize=3, label=name)
    for name, points in (faint or {}).items():
        axes.plot(*zip(*points), "--", color=colour(name), linewidth=0.8)
    if scale == "symlog":
        axes.set_yscale(scale, linthresh=0.1)
    else:
        axes.set_yscale(scale)
    plain(axes.yaxis)
    if mark_x is not None:
        axes.axvline(mark_x, color="0.4", linewidth=0.8, linestyle=":")
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return save(figure, folder, file)


def boxes(folder, file, rows, ylabel, title="", log=False, line=None, whiskers=(0, 100)):
    """rows: {name: values}; whiskers at two percentiles."""
    rows = {name: values for name, values in rows.items() if len(values)}
    if not rows:
        return None
    figure, axes = pyplot.subplots(figsize=(max(5, 1.1 * len(rows)), 4.2))
    drawn = axes.boxplot(list(rows.values()), whis=whiskers, showfliers=False, patch_artist=True)
    for patch, name in zip(drawn["boxes"], rows):
        patch.set(facecolor=colour(name.split(",")[0]), alpha=0.6)
    axes.set_xticks(range(1, len(rows) + 1), list(rows), rotation=30, ha="right", fontsize=8)
    if log:
        axes.set_yscale("log")
        plain(axes.yaxis)
    if line is not None:
        axes.axhline(line, color="0.4", linewidth=0.8)
    axes.set(ylabel=ylabel, title=title)
    axes.grid(axis="y", alpha=0.3)
    return save(figure, folder, file)


def scatter(folder, file, rows, ylabel, title=""):
    """rows: {name: values in the order of time}"""
    figure, axes = pyplot.subplots(figsize=(7, 4.2))
    for name, values in rows.items():
        axes.scatter(range(len(values)), values, s=5, color=colour(name), label=name)
    axes.set_yscale("symlog", linthresh=10)
    plain(axes.yaxis)
    axes.set(xlabel="retrieval", ylabel=ylabel, title=title)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return save(figure, folder, file)
