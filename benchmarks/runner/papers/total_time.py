"""Figures 4.1 and 4.2 of the low-latency paper: total times of seven fork-join problems, and how one of them scales."""

from .. import intervals, stats
from ..report import ratio_text, time_text
from . import draw, turns
from .part import Part, verdict, wanted

NAME = "total_time"
SEVEN = ["cilksort/", "fib/", "knapsack/", "matmul_recursive/", "strassen/", "pi/", "nqueens/"]
LOOP = "matmul/nested/256"  # not one of the seven: a nest of loops, as sharing is for loops
RUNTIMES = ["serial", "bough", "bough_classic", "tbb_invoke", "tbb_auto"]
COLUMNS = {"serial": "serial", "bough": "hybrid", "bough_classic": "classic", "tbb": "oneTBB"}
QUICK_ROUNDS, FULL_ROUNDS, SCALING_ROUNDS = 10, 20, 5
BUDGET_S = 90
CLOSE = 1.03  # what counts as the same; the paper says 1 % over all


def measure(o):
    part = Part(NAME, "Total time", "low-latency, figures 4.1 and 4.2")
    cases = wanted(o, NAME, turns.cases_of(o, "serial", [*SEVEN, LOOP]))
    if not cases:
        return None
    rounds = o.asked_rounds or (FULL_ROUNDS if o.full else QUICK_ROUNDS)
    results = turns.in_turn(o, RUNTIMES, cases, rounds, BUDGET_S)
    part.take_troubles(results)
    part.say("Hybrid is bough as it comes; classic the same binary with stealing only and no gate; oneTBB forks by "
             f"parallel_invoke, its loops have the auto_partitioner. Medians over {results.settings['rounds']} rounds in turn, "
             f"{o.threads} threads; ratios within a round, below 1 hybrid is faster. Means are over the seven, without {LOOP}, "
             "with a bootstrap over rounds as their interval.")
    ratios = {peer: ratios_to(results, peer) for peer in ("bough_classic", "tbb")}
    part.table(["case", *COLUMNS.values(), *(f"hybrid / {COLUMNS[peer]}" for peer in ratios)],
               [[case, *(time_text(results.median(case, named(r, case))) for r in COLUMNS),
                 *(ratio_text(ratios[peer]["cases"].get(case)) for peer in ratios)] for case in cases])
    for peer in ratios:
        part.say(f"Geometric mean of hybrid / {COLUMNS[peer]}: **{ratio_text(ratios[peer]['mean'])}**.")
    heights = {r: [ms(results.median(case, named(r, case))) for case in cases] for r in COLUMNS}
    part.plot(draw.grouped_bars(o.out, "total_time.png", [case.rsplit("/", 1)[0] for case in cases], heights, "ms, median",
                                log=True), "Total times as in figures 4.1 and 4.2")
    for peer, text, limit in (("bough_classic", "hybrid and classic are within 1 % of each other, over all problems", CLOSE),
                              ("tbb", "hybrid is at least as fast as oneTBB, over all problems", 1.0)):
        mean = ratios[peer]["mean"]
        part.claim("4.1, 4.2", f"{text} (at most {limit:g} counts)", ratio_text(mean), verdict(mean, limit, not o.crowded))
    part.data = {"times": results.times, "ratios": ratios, "settings": results.settings, "versions": results.versions,
                 "compiler": results.compiler}
    scaling(o, part, cases)
    return part


def ms(ns):
    return ns / 1e6 if ns else None


def named(runtime, case):
    """oneTBB's binaries have either loops or forks."""
    return runtime if runtime != "tbb" else "tbb_auto" if case == LOOP else "tbb_invoke"


def ratios_to(results, peer):
    pairs = {case: (results.per_round(case, "bough"), results.per_round(case, named(peer, case))) for case in results.cases}
    found = {case: stats.paired(*pair) for case, pair in pairs.items()}
    return {"cases": {case: intervals.median_interval(values) for case, values in found.items() if values},
            "mean": stats.mean_of_medians(pair for case, pair in pairs.items() if case != LOOP)}


def thread_counts(most):
    """1, 2, 4 ... and most."""
    found = [1]
    while found[-1] * 2 < most:
        found.append(found[-1] * 2)
    return found + [most] if most > 1 else found


def scaling(o, part, cases):
    cases = [case for case in cases if case.startswith("pi/")]
    counts = thread_counts(min(o.threads, o.cpus))
    if not cases or len(counts) < 2:
        part.claim("4.2.1", "twice the cores, half the time (Monte Carlo pi)", "-", "not measured: pi left out, or one thread")
        return
    results = {n: turns.in_turn(turns.with_threads(o, n), ["bough"], cases, SCALING_ROUNDS) for n in counts}
    for found in results.values():
        part.take_troubles(found)
    times = {n: found.median(cases[0], "bough") for n, found in results.items()}
    part.table(["threads", "pi", "speed-up"], [[n, time_text(t), f"{times[1] / t:.2f}" if t and times[1] else "-"]
                                                for n, t in times.items()])
    pairs = list(zip(counts, counts[1:]))
    gains = [times[a] / times[b] for a, b in pairs if times[a] and times[b]]
    if gains:
        part.claim("4.2.1", "twice the cores, half the time (Monte Carlo pi)",
                   ", ".join(f"{a} to {b}: {gain:.2f} times" for (a, b), gain in zip(pairs, gains)),
                   "holds" if min(gains) > 1.8 else "does not hold (above 1.8 counts)")
    part.data["scaling_ns"] = times
