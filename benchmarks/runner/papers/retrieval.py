"""Figure 4.8 of the low-latency paper: what it takes to fetch a task out of a mailbox, and out of a queue."""

import statistics

from .. import intervals
from ..report import ratio_text, time_text
from . import draw, turns
from .part import Part, verdict, wanted

NAME = "retrieval"
QUEUES = ["mailbox-pop", "mailbox", "chase-lev", "abp", "mutex", "split"]
QUICK_ROUNDS, FULL_ROUNDS = 15, 50
MOST_PRODUCERS = 15
GOAL = 0.6  # mailbox-pop to Chase-Lev's; the paper: twice as fast
PAPER_NS = 100  # what the paper has with 15 producers
AT_REST = {1: "one task", 16: "16 tasks"}


def measure(o):
    part = Part(NAME, "Retrieval: mailbox against queue", "low-latency, figure 4.8")
    if not wanted(o, NAME):
        return None
    rounds = o.asked_rounds or (FULL_ROUNDS if o.full else QUICK_ROUNDS)
    found = turns.printed_json(o, "retrieval", [rounds, MOST_PRODUCERS], limit_s=120 + 60 * rounds)
    rows = {}
    for row in found["rows"]:
        rows.setdefault((row["at_rest"], row["producers"], row["by"]), {}).setdefault(row["queue"], []).append(row)
    part.say("mailbox-pop: receive(), a proxy; mailbox: receive() and task_proxy::take(), the task in it, if nobody else has run it; the others: a thief's steal(). At rest: the consumer itself, or "
             "another thread, has made one task, or 16, and stopped; the time of taking all, by their number. With K producers: all send to one mailbox, or each "
             "pushes to a queue of its own from which the consumer steals in turn; each success is timed alone. The clock's own "
             f"cost ({found['clock_ns']:.1f} ns) is subtracted. The consumer has a CPU to itself, where there are two. The split queue's owner exposes each task at once. Medians over "
             f"{rounds} rounds of the mean of the middle half of a round; in brackets the mean of all but "
             "one in a thousand, in which are the rare slow ones, "
             "and the 99th percentile.")
    part.table(["", *QUEUES, "mailbox-pop / chase-lev", "mailbox / chase-lev", "of means"],
               [[label(o, *key), *(text(row.get(q)) for q in QUEUES), ratio_text(ratio(row, of="mailbox-pop")),
                ratio_text(ratio(row)), ratio_text(ratio(row, "mean_ns"))] for key, row in rows.items()])
    for key, row in rows.items():
        judge(o, part, key, row)
    plots(o, part, rows)
    part.data = {"clock_ns": found["clock_ns"], "rows": found["rows"]}
    return part


def crowded(o, at_rest, producers, by):
    return by != "itself" and max(1, producers) + 1 > o.cpus


def label(o, at_rest, producers, by):
    name = f"at rest, {AT_REST[at_rest]} by {by}" if at_rest else f"{producers} producer" + "s" * (producers > 1)
    return name + (" (more threads than CPUs)" if crowded(o, at_rest, producers, by) else "")


def median(rows, key="middle_ns"):
    values = [row[key] for row in rows or [] if key in row]
    return statistics.median(values) if values else None


def text(rows):
    of = [median(rows, key) for key in ("middle_ns", "mean_ns", "p99_ns")]
    return "none came in time" if of[0] is None else f"{ns_text(of[0])} ({ns_text(of[1])}, {ns_text(of[2])})"


def ns_text(ns):
    return f"{ns:.1f} ns" if ns < 100 else time_text(ns)


def ratio(row, key="middle_ns", of="mailbox"):
    """To Chase-Lev; None where a time is not above the clock's cost."""
    pairs = [(a.get(key, 0), b.get(key, 0)) for a, b in zip(row.get(of, []), row.get("chase-lev", []))]
    values = [a / b for a, b in pairs if a > 0 and b > 0]
    return intervals.median_interval(values) if values else None


def judge(o, part, key, row):
    producers = key[1]
    if producers == MOST_PRODUCERS:
        ns = median(row.get("mailbox"))
        known = ns is not None
        part.claim("4.4", f"no more than 100 ns out of a mailbox with {producers} producers", time_text(ns),
                   ("shown only (more threads than CPUs): " if crowded(o, *key) else "")
                   + ("not measured" if not known else "holds" if ns <= PAPER_NS else "does not hold"))
    if producers > 1:
        return
    c = ratio(row, of="mailbox-pop")
    part.claim("4.8", f"out of a mailbox in half the time of a queue (wanted: at most {GOAL}): {label(o, *key)}",
               f"{ratio_text(c)}; with the proxy {ratio_text(ratio(row))}", verdict(c, GOAL, not crowded(o, *key)))


def plots(o, part, rows):
    times = {q: [(k, median(row.get(q))) for (rest, k, _), row in rows.items() if rest == 0] for q in QUEUES}
    times = {q: [(k, max(t, 0.1)) for k, t in points if t is not None] for q, points in times.items()}
    part.plot(draw.curves(o.out, "retrieval.png", {q: p for q, p in times.items() if p}, "producers", "ns",
                          mark_x=o.cpus - 0.5), "Retrieval time by producers; right of the dotted line more threads than CPUs")
    for key, name in (((1, 0, "another"), "at_rest"), ((0, 1, "another"), "1"),
                      ((0, MOST_PRODUCERS, "another"), str(MOST_PRODUCERS))):
        shown = {q: [ns for row in rows.get(key, {}).get(q, []) for ns in row["shown"]] for q in ("chase-lev", "mailbox")}
        if all(shown.values()):
            part.plot(draw.scatter(o.out, f"retrieval_{name}.png", shown, "ns", label(o, *key)),
                      f"Single retrievals as in figure 4.8: {label(o, *key)}")
