"""Unmodified oneTBB binaries, each on oneTBB's library and on ours (started by bough-run): the same code, the same
partitioner, in turn."""

import numpy

from . import intervals, stats
from .options import ON_BOUGH
from .report import goal_lines, interval_line, ratio_text, setting_lines, time_text, troubles
from .summary import exceeds, goal, worst

CASE_LIMIT = 1.10
START_LIMIT = 0.7


def summarise(results, crowded):
    del crowded  # the same goals: it is the same binary
    cases = {}
    for peer in peers_of(results):
        for case in results.cases:
            ratios = stats.paired(results.per_round(case, peer + ON_BOUGH), results.per_round(case, peer))
            if ratios:
                cases[f"{case} {peer}"] = dict(intervals.median_interval(ratios), peer=peer, case=case)
    summary = {"cases": cases, "geometric_mean": geometric_mean(results), "latency": latency(results),
               "slower": [name for name, c in cases.items() if exceeds(c, CASE_LIMIT)]}
    summary["goals"] = goals(summary)
    return summary


def peers_of(results):
    return [r.removesuffix(ON_BOUGH) for r in results.runtimes if r.endswith(ON_BOUGH)]


def geometric_mean(results):
    """Over every case with every partitioner; the interval from resampling rounds, alike for all."""
    return stats.mean_of_medians((results.per_round(case, peer + ON_BOUGH), results.per_round(case, peer))
                                 for peer in peers_of(results) for case in results.cases)


def latency(results):
    found = {}
    for peer in peers_of(results):
        kept = [t for t in results.latency if t["kept"] and t["peer"] == peer]
        if kept:
            found[peer] = dict(intervals.median_interval([t["bough"] / t["peer_ns"] for t in kept]),
                               bough_ns=float(numpy.median([t["bough"] for t in kept])),
                               peer_ns=float(numpy.median([t["peer_ns"] for t in kept])),
                               raw_ns=float(numpy.median([(t["raw_before"] * t["raw_after"]) ** 0.5 for t in kept])))
    return found


def goals(summary):
    found = [goal(f"all-start of {peer} at most {START_LIMIT} of the same binary on oneTBB", c, START_LIMIT)
             for peer, c in summary["latency"].items()]
    found += [goal("geometric mean over all cases at most 1.0 of the same binary on oneTBB", summary["geometric_mean"], 1.0),
              worst("no case above 1.10 of the same binary on oneTBB", summary["cases"], CASE_LIMIT)]
    return [g for g in found if g]


def write(results, summary, crowded, plots):
    """The lines that are printed, and the whole report."""
    del crowded, plots
    peers = peers_of(results)
    lines = ["# Unmodified oneTBB binaries on bough", "", *setting_lines(results),
             "Each binary was compiled with oneTBB's own headers and runs on oneTBB's library and on bough's, in turn. "
             "Ratios are bough to oneTBB: medians over rounds.", "",
             interval_line({"": summary["cases"].values(), "start latencies": summary["latency"].values()},
                           [m for m in [summary["geometric_mean"]] if m]), ""]
    if results.latency:
        kept = sum(t["kept"] for t in results.latency)
        lines += [f"All threads started, last start minus call; raw: by hand, for two threads that spin. {kept} of "
                  f"{len(results.latency)} pairs kept; in the others the raw limit moved by over 1.5, or showed a busy CPU.", "",
                  "| all threads started | raw | on oneTBB | on bough | ratio |", "|---|---|---|---|---|"]
        lines += [f"| {peer} | {time_text(c['raw_ns'])} | {time_text(c['peer_ns'])} | {time_text(c['bough_ns'])} | "
                  f"{ratio_text(c)} |" for peer, c in summary["latency"].items()]
        lines += [f"| {peer} | no pair kept | | | |" for peer in peers if peer not in summary["latency"]]
        lines.append("")
    lines += goal_lines(results, summary["goals"])
    if summary["slower"]:
        lines += [f"Above {CASE_LIMIT} (whole interval): " + ", ".join(summary["slower"]) + ".", ""]
    lines += troubles(results)
    rows = ["Time on bough, and its ratio to oneTBB:", "", "| case | serial | " + " | ".join(peers) + " |",
            "|---|---|" + "---|" * len(peers)]
    for case in results.cases:
        cells = [f"{time_text(results.median(case, peer + ON_BOUGH))}, {ratio_text(summary['cases'].get(f'{case} {peer}'))}"
                 for peer in peers]
        rows.append(f"| {case} | {time_text(results.median(case, 'serial'))} | " + " | ".join(cells) + " |")
    return "\n".join(lines), "\n".join(lines + rows + [""])
