"""The LCWS paper, figures 3 to 8: split queues of four kinds against work stealing with Chase-Lev queues, over all
fork-join cases and numbers of threads."""

from .. import intervals, stats
from ..report import ratio_text, time_text
from ..variants import BY_QUEUE
from . import draw, forks, turns
from .part import Part, verdict
from .total_time import thread_counts

NAME = "exposure"
BASE = BY_QUEUE + "chase-lev"
KINDS = {"split": "User", "split-signal": "Signal", "split-signal-conservative": "Cons", "split-signal-half": "Half"}
VARIANTS = [BY_QUEUE + kind for kind in KINDS]
QUICK_ROUNDS, FULL_ROUNDS = 6, 20
BUDGET_S = 180  # for all numbers of threads
GAINS = (1.0, 1.05, 1.10, 1.15, 1.20)


def measure(o):
    part = Part(NAME, "Low-cost work stealing", "LCWS, figures 3c, 3d, 4 to 7, 8c to 8h")
    names = forks.cases(o, NAME)
    if not names:
        return None
    rounds = o.asked_rounds or (FULL_ROUNDS if o.full else QUICK_ROUNDS)
    counts = thread_counts(o.threads)
    found = {n: turns.in_turn(turns.with_threads(o, n), [BASE, *VARIANTS], names, rounds, BUDGET_S / len(counts))
             for n in counts}
    fewest = min(results.settings["rounds"] for results in found.values())
    part.say(f"Speed-up of a case: time with Chase-Lev queues by that with the split queue, medians of {fewest} rounds in turn, "
             "work stealing only (BOUGH_DISTRIBUTE=steal BOUGH_GATE=off BOUGH_MAIL=off): above 1 the split queue is faster. The paper's suite "
             f"is PBBS; this one is {len(names)} fork-join cases. User: polled, Signal, Cons: conservative, Half: expose half.")
    for results in found.values():
        part.take_troubles(results)
    speedups = {n: speedups_of(results) for n, results in found.items()}
    part.data = {"times": {n: r.times for n, r in found.items()}, "speedups": speedups}
    overview(part, found, speedups)
    figures(o, part, speedups)
    claims(o, part, found, speedups)
    profile(o, part, names, rounds)
    return part


def speedups_of(results):
    """{variant: {case: speed-up}}"""
    found = {}
    for variant in VARIANTS:
        pairs = {case: stats.paired(results.per_round(case, BASE), results.per_round(case, variant)) for case in results.cases}
        found[variant] = {case: intervals.median_interval(ratios) for case, ratios in pairs.items() if ratios}
    return found


def overview(part, found, speedups):
    rows = []
    for n, results in found.items():
        for variant in [BASE, *VARIANTS]:
            of = [c["ratio"] for c in speedups[n].get(variant, {}).values()]
            mean = mean_speedup(results, variant) if variant != BASE else None
            rows.append([n, forks.queue_of(variant), time_text(total_ns(results, variant)), ratio_text(mean) if mean else "-",
                         *(f"{100 * share_above(of, gain):.0f} %" if of else "-" for gain in GAINS),
                         f"{min(of):.2f} to {max(of):.2f}" if of else "-"])
    part.table(["threads", "queue", "total time", "mean speed-up", *(f"above {gain:g}" for gain in GAINS), "from, to"], rows)
    part.say("\"Above\": the share of cases with a greater speed-up. Mean: geometric, with a bootstrap over rounds as its interval.")
    most = max(found)
    part.lines += [f"Every case, {most} threads:", ""]
    part.table(["case", *KINDS.values()], [[case, *(ratio_text(speedups[most][v].get(case)) for v in VARIANTS)]
                                           for case in found[most].cases])


def mean_speedup(results, variant):
    return stats.mean_of_medians((results.per_round(case, BASE), results.per_round(case, variant)) for case in results.cases)


def total_ns(results, variant):
    times = [results.median(case, variant) for case in results.cases]
    return None if None in times else sum(times)


def share_above(values, gain):
    return sum(value > gain for value in values) / len(values)


def ratios(speedups, n, variant):
    return [c["ratio"] for c in speedups[n][variant].values()]


def figures(o, part, speedups):
    for variant, figure in (("split", "4"), ("split-signal", "7"), ("split-signal-conservative", "-"), ("split-signal-half", "-")):
        rows = {f"{variant}, {n}": ratios(speedups, n, BY_QUEUE + variant) for n in speedups}
        part.plot(draw.boxes(o.out, f"speedup_{variant}.png", rows, "speed-up over Chase-Lev", line=1),
                  f"Speed-ups of {variant} by threads, as in figure {figure}" if figure != "-" else
                  f"Speed-ups of {variant} by threads")
    averages = {kind: [(n, sum(of) / len(of)) for n in speedups if (of := ratios(speedups, n, BY_QUEUE + kind))] for kind in KINDS}
    part.plot(draw.curves(o.out, "speedup_mean.png", {k: p for k, p in averages.items() if p}, "threads", "average speed-up",
                          scale="linear"), "Average speed-ups as in figure 5")
    won = {kind: [(n, 100 * share_above(of, 1)) for n in speedups if (of := ratios(speedups, n, BY_QUEUE + kind))] for kind in KINDS}
    part.plot(draw.curves(o.out, "speedup_won.png", {k: p for k, p in won.items() if p}, "threads", "% of cases won", scale="linear"),
              "Share of cases with a speed-up above 1, as in figure 6")


def claims(o, part, found, speedups):
    most = max(n for n in found if n <= o.cpus)
    where = f"{most} threads on {o.cpus} CPUs"
    paper = {"split": ("4, 5", "User: 92 to 95 % of work stealing's speed with all cores", 0.92),
             "split-signal": ("5, 7", "Signal: on a par with work stealing with all cores (99 to 102 %)", 0.99)}
    for kind, (figure, text, least) in paper.items():
        mean = mean_speedup(found[most], BY_QUEUE + kind)
        inverse = mean and {"ratio": 1 / mean["ratio"], "low": 1 / mean["high"], "high": 1 / mean["low"], "n": mean["n"]}
        part.claim(f"LCWS {figure}", text, f"{ratio_text(mean)}, {where}", verdict(inverse, 1 / least))
    of = ratios(speedups, most, BY_QUEUE + "split-signal")
    if of:
        share = share_above(of, 1)
        part.claim("LCWS 6, 7", "Signal: faster in 65 to 69 % of the cases", f"{100 * share:.0f} % of {len(of)}, {where}",
                   "holds" if share >= 0.65 else "does not hold")
    few = [n for n in speedups if 2 * n <= o.cpus]
    of = [value for n in few for value in ratios(speedups, n, BY_QUEUE + "split")]
    share = share_above(of, 1) if of else 0
    part.claim("LCWS 5, 6", "User: faster in 50 to 80 % of the cases with at most half of the cores",
               f"{100 * share:.0f} %, {', '.join(map(str, few))} threads" if of else "-",
               ("holds" if share >= 0.5 else "does not hold") if of else "not measured: there is no half of the cores")


def profile(o, part, names, rounds):
    """Steals and what was exposed in vain: figures 3c, 3d, 8c, 8d, 8g and 8h."""
    found = forks.counts(o, part, [BASE, *VARIANTS], names, min(rounds, 3))
    part.data["counts"] = found
    part.lines += ["### What was exposed, and stolen", ""]
    if BASE not in found:
        part.say(f"Not measured: {forks.NO_COUNTERS}.")
        part.claim("LCWS 3d, 8h", "signals expose less work in vain than polling does", "-", f"not measured: {forks.NO_COUNTERS}")
        return
    unstolen = {v: by_case(found, v, names, "exposed_unstolen", found.get(v, {}), "exposed") for v in VARIANTS}
    steals = {v: by_case(found, v, names, "steal_won", found[BASE], "steal_won") for v in VARIANTS}
    rows = [[KINDS[forks.queue_of(v)], *(number(forks.total(found.get(v, {}), names, event)) for event in
                                         ("exposed", "exposed_unstolen", "signal_sent", "steal_tried", "steal_won"))] for v in VARIANTS]
    rows.append(["Chase-Lev", "-", "-", "-", *(number(forks.total(found[BASE], names, e)) for e in ("steal_tried", "steal_won"))])
    part.table(["", "exposed", "exposed, not stolen", "signals", "steals tried", "steals won"], rows)
    part.say(f"Sums over all cases of one run each, {o.threads} threads.")
    part.plot(draw.boxes(o.out, "unstolen.png", {forks.queue_of(v): [100 * x for x in of] for v, of in unstolen.items()},
                         "exposed but not stolen, %"), "Exposed but not stolen, a box over all cases, as in figures 3d and 8h")
    part.plot(draw.boxes(o.out, "steals.png", {forks.queue_of(v): of for v, of in steals.items()}, "steals won, Chase-Lev 1", line=1),
              "Steals won against Chase-Lev, as in figures 3c and 8g")
    part.data["unstolen"] = unstolen
    shares = {v: share(forks.total(found.get(v, {}), names, "exposed_unstolen"), forks.total(found.get(v, {}), names, "exposed"))
              for v in VARIANTS}
    polled, signalled = (shares[BY_QUEUE + kind] for kind in ("split", "split-signal"))
    text = ", ".join(f"{KINDS[forks.queue_of(v)]} {100 * x:.1f} %" for v, x in shares.items() if x is not None)
    part.claim("LCWS 3d, 8h", "signals expose less work in vain than polling does", f"exposed but not stolen: {text}" if text else "-",
               "not measured" if None in (polled, signalled) else "holds" if signalled < polled else "does not hold")


def by_case(found, variant, names, event, base, base_event):
    """event by base_event of each case that has both."""
    pairs = [(forks.mean(found.get(variant, {}), case, event), forks.mean(base, case, base_event)) for case in names]
    return [a / b for a, b in pairs if a is not None and b]


def share(a, b):
    return a / b if a is not None and b else None


def number(x):
    return "-" if x is None else f"{x:.3g}"
