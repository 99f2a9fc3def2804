"""report.md: the table, the goals, and what went wrong."""

from . import intervals, others, profile
from .summary import exceeds


def time_text(ns):
    if ns is None:
        return "-"
    for unit, factor in (("ns", 1), ("µs", 1e3), ("ms", 1e6)):
        if ns < 1000 * factor or unit == "ms":
            return f"{ns / factor:.3g} {unit}" if ns < 1000 * factor else f"{ns / factor:.0f} {unit}"


def ratio_text(c):
    return f"{c['ratio']:.2f} ({c['low']:.2f} to {c['high']:.2f})" if c else "-"


def pairs_text(least, most):
    return f"{least} pairs" if least == most else f"{least} to {most} pairs"


def interval_text(comparisons):
    """What their intervals are."""
    counts = sorted(c["n"] for c in comparisons)
    if counts[0] >= intervals.FEWEST_PAIRS:
        return (f"order statistics of the median, {pairs_text(counts[0], counts[-1])}, "
                f"at least {100 * intervals.COVERAGE:.0f} %")
    few = [n for n in counts if n < intervals.FEWEST_PAIRS]
    covered = " to ".join(dict.fromkeys(f"{100 * intervals.rank(n)[1]:.1f}" for n in (few[0], few[-1])))
    text = f"min to max of {pairs_text(few[0], few[-1])}, {covered} %, too few for a verdict"
    enough = [c for c in comparisons if intervals.decides(c)]
    return f"{text}; where there are more {interval_text(enough)}" if enough else text


def interval_line(kinds, means):
    """kinds: {what the ratios are: the comparisons}, the first without a word. publish.py takes the line along."""
    texts = [f"of {name}: {interval_text(of)}" if name else interval_text(of) for name, of in kinds.items() if of]
    if means:
        counts = sorted({mean["n"] for mean in means})
        texts.append(f"of geometric means: the middle 95 % of a bootstrap over {' to '.join(map(str, counts))} rounds")
    return f"Interval: {'; '.join(texts)}." if texts else ""


def marked(c, limit):
    """Bold when the whole interval lies above the limit, and there are pairs enough."""
    return f"**{ratio_text(c)}**" if c and exceeds(c, limit) else ratio_text(c)


def busy_warning(results):
    return others.warning(results.settings.get("others_cpus"), results.settings["cpus"])


def setting_lines(results):
    m, s = results.machine, results.settings
    versions = ", ".join(dict.fromkeys(v for v in results.versions.values() if v not in ("-", "?", "this tree")))
    busy = [f"**{busy_warning(results)}**", ""] if busy_warning(results) else []
    return [*busy,
            f"{m['cpu']}, {s['cpus']} usable CPUs, {s['threads']} threads, Linux {m['kernel']}, {s['date'][:16]}; "
            f"{results.compiler}, -O3 -falign-loops=64; {versions}; {s['rounds']} rounds in turn, {s['sizes']} sizes.",
            "", *profile.lines(s)]


def head(results, summary):
    starts = summary["latency"] or {"peers": {}}
    kinds = {"": summary["best_peer"].values(), "bough / allowed": summary["serial"].values(),
             "start latencies": starts["peers"].values()}
    intervals_are = interval_line(kinds, summary["means"].values())
    return ["# Benchmarks", "", *setting_lines(results),
            "Times are medians over rounds. Ratios are bough to the other: below 1 bough is faster. The best peer of a "
            "case is picked on odd rounds and compared on even ones; bold where all of the interval lies above the limit "
            "for certain. What a loop may take: the larger of 1.05 x serial and serial + 30 ns (1.3 x serial for "
            "transpose/nested/64).", "", intervals_are, ""]


def goal_lines(results, goals):
    if not goals:
        return []
    but = ", on a busy machine" if busy_warning(results) else ""
    return ["| goal | measured | limit | |", "|---|---|---|---|",
            *[f"| {g['goal']} | {ratio_text(g)} | {g['limit']} | {g['verdict']}{but} |" for g in goals], ""]


def table(results, summary, crowded):
    peer = "best oneTBB" if crowded else "best peer"
    classic = "bough_classic" in results.runtimes
    titles = ["case", "serial", "bough"] + (["classic"] if classic else []) + [peer, "its time", f"bough / {peer}",
                                                                               "bough / serial", "bough / allowed"]
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    for case in results.cases:
        c = summary["best_peer"].get(case)
        serial, bough = results.median(case, "serial"), results.median(case, "bough")
        cells = [case, time_text(serial), time_text(bough)]
        if classic:
            cells.append(time_text(results.median(case, "bough_classic")))
        cells += [c["peer"] if c else "-", time_text(results.median(case, c["peer"])) if c else "-",
                  marked(c, summary["limit"]), f"{bough / serial:.2f}" if bough and serial else "-",
                  marked(summary["serial"].get(case), 1.0)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines + [""]


def latency_lines(results, latency):
    if not latency:
        return ["Start latency: no pair of runs was kept (the CPUs are busy, or their distance changed all the time).", ""] \
            if results.latency else []
    lines = ["## Start latency", "",
             f"All {results.settings['threads']} threads started, median of last start minus call; "
             f"{latency['kept']} of {latency['pairs']} pairs kept (in the others the raw limit moved by over 1.5, or showed a busy CPU).", "",
             "| runtime | time | bough / it |", "|---|---|---|",
             f"| raw (hand-written) | {time_text(latency['raw_ns'])} | {ratio_text(latency['to_raw'])} |",
             f"| bough | {time_text(latency['bough_ns'])} | |"]
    for peer, c in sorted(latency["peers"].items(), key=lambda item: item[1]["ns"]):
        lines.append(f"| {peer} | {time_text(c['ns'])} | {ratio_text(c)} |")
    if results.ping_ns:
        lines += ["", f"One cache line to the other core and back: {time_text(results.ping_ns)}."]
    return lines + [""]


def group_lines(results, summary):
    if not summary["groups"]:
        return []
    lines = ["## Task groups", "", "| task_group | bough's | oneTBB's | ratio |", "|---|---|---|---|"]
    lines += [f"| {case} | {time_text(results.median(case, 'bough_group'))} | {time_text(results.median(case, 'tbb_group'))} "
              f"| {ratio_text(c)} |" for case, c in summary["groups"].items()]
    return lines + [""]


def first_call_lines(summary):
    lines = []
    for case, rows in summary["first_calls"].items():
        lines += ["", f"| {case} | first | second | hundredth |", "|---|---|---|---|"]
        lines += [f"| {runtime} | " + " | ".join(time_text(calls.get(call)) for call in ("first", "second", "hundredth"))
                  + " |" for runtime, calls in rows.items()]
    return ["## First calls", "", "The first, second and hundredth loop of a process that runs nothing else: medians over "
            "processes.", *lines, ""] if lines else []


def break_even_lines(summary):
    rows = summary["break_even"]
    runtimes = list(dict.fromkeys(name for row in rows.values() for name in row if name != "serial_ns"))
    if not runtimes:
        return []
    lines = ["## Break-even", "", "The least number of iterations from which on a loop is not slower than serially.", "",
             "| an iteration | " + " | ".join(runtimes) + " |", "|---|" + "---|" * len(runtimes)]
    lines += [f"| {time_text(row['serial_ns'])} | " + " | ".join(str(row.get(r) or "-") for r in runtimes) + " |"
              for row in rows.values()]
    return lines + [""]


def stability_lines(summary):
    rows = summary["stability"]
    if not rows:
        return []
    lines = ["## Stability", "", "The slowest process's median to the median over all processes; that of serial shows how "
             "steady the machine was. Start latency in units of the raw limit of the same process.", "",
             "| over processes | processes | bough | serial |", "|---|---|---|---|"]
    order = sorted(rows.items(), key=lambda item: -item[1]["bough"]["worst"])
    lines += [f"| {case} | {row['bough']['processes']} | {row['bough']['worst']:.2f} | "
              + (f"{row['serial']['worst']:.2f}" if "serial" in row else "-") + " |" for case, row in order]
    return lines + [""]


def stability_line(summary):
    rows = summary["stability"]
    if not rows:
        return []
    case = max(rows, key=lambda name: rows[name]["bough"]["worst"])
    row = rows[case]["bough"]
    return [f"Least stable over {row['processes']} processes: {case}, the slowest {row['worst']:.2f} of the median.", ""]


def mean_lines(summary):
    if not summary["means"]:
        return []
    return ["| geometric mean of | cases | ratio |", "|---|---|---|",
            *[f"| {name} | {mean['cases']} | {ratio_text(mean)} |" for name, mean in summary["means"].items()], ""]


def verdicts(results, summary):
    lines = []
    mean = summary["geometric_mean"]
    if mean:
        lines += [f"Geometric mean of bough / best peer over {mean['cases']} cases: **{ratio_text(mean)}**.", "",
                  *mean_lines(summary)]
    limit = summary["limit"]
    compared = summary["best_peer"].values()
    if summary["slower"]:
        lines += [f"Cases above {limit} (whole interval): " + ", ".join(summary["slower"]) + ".", ""]
    elif any(map(intervals.decides, compared)):
        lines += [f"No case above {limit} for certain.", ""]
    undecided = sum(not intervals.decides(c) for c in compared)
    if undecided:
        lines += [f"Undecided, for too few pairs: {undecided} of {len(compared)} cases (12 rounds are enough).", ""]
    if summary["above_serial"]:
        lines += ["Loops above what they may take (whole interval): " + ", ".join(summary["above_serial"]) + ".", ""]
    return lines + stability_line(summary) + goal_lines(results, summary["goals"])


def every_time(results):
    """One table for each set of runtimes that have something in common."""
    lines, last = ["## Every runtime"], None
    for case in results.cases:
        runtimes = [r for r in results.runtimes if results.median(case, r) is not None]
        if runtimes != last:
            lines += ["", "| case | " + " | ".join(runtimes) + " |", "|---|" + "---|" * len(runtimes)]
            last = runtimes
        cells = [time_text(results.median(case, runtime)) for runtime in runtimes]
        lines.append(f"| {case} | " + " | ".join(cells) + " |")
    return lines + [""]


def troubles(results):
    lines = [f"- {runtime}: {message}" for runtime, message in results.failed.items()]
    lines += [f"- {runtime}, {case}: {message}" for runtime, errors in results.errors.items()
              for case, message in errors.items()]
    return ["## Went wrong", ""] + lines + [""] if lines else []


def write(results, summary, crowded, plots):
    """The lines above the details, which are printed as well, and the whole report."""
    short = head(results, summary)
    if results.cases:
        short += table(results, summary, crowded)
    short += latency_lines(results, summary["latency"]) + verdicts(results, summary) + troubles(results)
    short += break_even_lines(summary) + first_call_lines(summary)
    details = group_lines(results, summary) + (every_time(results) if results.cases else []) + stability_lines(summary)
    pictures = ["## Plots", ""] + [f"![{name}]({name})" for name in plots] + [""] if plots else []
    return "\n".join(short), "\n".join(short + pictures + details)
