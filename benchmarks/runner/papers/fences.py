"""Fences and compare-and-swaps by queue: figure 4.7 of the low-latency paper, and figures 3a, 3b, 8a and 8b of the LCWS
paper."""

from ..variants import BY_QUEUE, QUEUES
from . import draw, forks, turns
from .part import Part

NAME = "fences"
BASE = BY_QUEUE + "chase-lev"
RUNTIMES = [BY_QUEUE + queue for queue in QUEUES] + ["bough", "bough_even", "bough_uneven"]
EVENTS = {"fence": "fences", "cas_tried": "CAS"}
QUICK_ROUNDS, FULL_ROUNDS = 3, 10


def measure(o):
    part = Part(NAME, "Fences and compare-and-swaps", "low-latency, figure 4.7; LCWS, figures 3a, 3b, 8a and 8b")
    names = forks.cases(o, NAME)
    if not names:
        return None
    rounds = o.asked_rounds or (FULL_ROUNDS if o.full else QUICK_ROUNDS)
    runtimes = turns.known_variants(o, part, RUNTIMES)
    found = forks.counts(o, part, runtimes, names, rounds)
    part.data = {"counts": found}
    if BASE not in found:
        part.say(f"Not measured: {forks.NO_COUNTERS}.")
        part.claim("4.7, 3a, 3b", "split queues do with under 1 % of the fences and 40 % of the CAS of Chase-Lev", "-",
                   f"not measured: {forks.NO_COUNTERS}")
        return part
    part.say(f"Counted by the runtime itself (BOUGH_STATS=1, on the -counted variants of the library), per run, means over "
             f"{rounds} rounds in turn. {BY_QUEUE}QUEUE is work stealing only with that queue; bough, bough_even and "
             "bough_uneven share first, with Chase-Lev queues. include/bough/statistics.h says what counts as a fence.")
    for event, title in EVENTS.items():
        by_event(o, part, found, names, event, title)
    claims(part, found, names)
    return part


def by_event(o, part, found, names, event, title):
    base = {case: forks.mean(found[BASE], case, event) for case in names}
    shares = {r: [share(forks.mean(cases, case, event), base[case]) for case in names] for r, cases in found.items()}
    total = {r: forks.total(cases, names, event) for r, cases in found.items()}
    part.lines += [f"### {title}, Chase-Lev 1", ""]
    part.table(["", *[case.split("/")[0] for case in names], "all", "all, per run"],
               [[r, *(number(s) for s in shares[r]), number(share(total[r], total[BASE])), number(total[r])] for r in shares])
    labels = [case.split("/")[0] for case in names]
    part.plot(draw.grouped_bars(o.out, f"{event}.png", labels, {r: s for r, s in shares.items() if any(x is not None for x in s)},
                                f"{title}, Chase-Lev 1", line=1), f"{title} by queue, as shares of Chase-Lev's")


def share(a, b):
    return a / b if a is not None and b else None


def number(x):
    return "-" if x is None else f"{x:.3g}"


def claims(part, found, names):
    def of(runtime, event):
        return share(forks.total(found.get(runtime, {}), names, event), forks.total(found[BASE], names, event))

    for queue, paper in (("split", "user-space LCWS"), ("split-signal", "signal-based LCWS")):
        for event, limit in (("fence", 0.01), ("cas_tried", 0.4)):
            value = of(BY_QUEUE + queue, event)
            part.claim("LCWS 3, 8", f"{paper}: under {100 * limit:.0f} % of Chase-Lev's {EVENTS[event]}",
                       "-" if value is None else f"{100 * value:.2f} % over all cases",
                       "not measured" if value is None else "holds" if value < limit else "does not hold")
    for event, paper, limit in (("fence", "mailing: a tenth of the fences of work stealing", 0.1),
                                ("cas_tried", "mailing: 15 to 20 times the CAS of work stealing", None)):
        values = {r: of(r, event) for r in ("bough", "bough_even", "bough_uneven")}
        text = ", ".join(f"{r} {value:.3g}" for r, value in values.items() if value is not None)
        best = values["bough"]
        part.claim("4.7", paper, text or "-", "not measured" if best is None else "shown only" if limit is None
                   else "holds" if best <= limit else "does not hold")
