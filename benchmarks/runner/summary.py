"""What the numbers say about bough, goal by goal."""

from . import stats
from .options import PEERS, TBB

CASE_LIMIT = 1.25
FEWEST_ROUNDS = 3  # that are compared: with fewer an interval means nothing
CROWDED_LIMIT = 1.5  # more threads than CPUs, against oneTBB: the kernel's time slices decide


def summarise(results, crowded):
    peers = TBB if crowded else PEERS
    best = with_values({case: stats.compare(results, case, peers) for case in results.cases})
    tbb = with_values({case: stats.compare(results, case, TBB) for case in results.cases})
    limit = CROWDED_LIMIT if crowded else CASE_LIMIT
    summary = {"best_peer": best, "best_tbb": tbb, "limit": limit, "geometric_mean": stats.geometric_mean(results, best),
               "slower": [case for case, c in best.items() if c["low"] > limit and c["n"] >= FEWEST_ROUNDS],
               "latency": stats.latency(results, TBB)}
    summary["goals"] = crowded_goals(summary) if crowded else goals(results, summary)
    return summary


def with_values(comparisons):
    return {case: c for case, c in comparisons.items() if c}


def goal(text, c, limit):
    """c: a ratio with its interval. Missed only when the whole interval lies above the limit."""
    if not c:
        return None
    if c.get("n", FEWEST_ROUNDS) < FEWEST_ROUNDS:
        verdict = "too few rounds"
    else:
        verdict = "missed" if c["low"] > limit else "met" if c["ratio"] <= limit else "met within the interval"
    return {"goal": text, "ratio": c["ratio"], "low": c["low"], "high": c["high"], "limit": limit, "verdict": verdict}


def worst(text, comparisons, limit):
    """The case with the highest lower bound stands for all."""
    if not comparisons:
        return None
    case = max(comparisons, key=lambda name: comparisons[name]["low"])
    return goal(f"{text} (worst: {case} against {comparisons[case]['peer']})", comparisons[case], limit)


def goals(results, summary):
    latency = summary["latency"] or {}
    short = {case: c for case, c in summary["best_tbb"].items() if case.startswith("tiny/") and size(case) <= 128}
    rivals = PEERS + ["serial", "bough_classic"]
    uneven = with_values({case: stats.compare(results, case, rivals) for case in results.cases
                          if case.startswith(("spmv/triangle/", "spmv/hyperbolic/")) and size(case) >= 1024})
    found = [
        goal("all-start at most 2.5 of the hand-written one", latency.get("to_raw"), 2.5),
        goal("all-start at most 0.5 of oneTBB's best", latency.get("to_tbb"), 0.5),
        goal("geometric mean over all cases at most 1.0 of the best peer", summary["geometric_mean"], 1.0),
        worst("no case above 1.25 of its best peer", summary["best_peer"], CASE_LIMIT),
        worst("2 to 128 tiny iterations: no more than oneTBB's best", short, 1.0),
        worst("SPMV triangle and hyperbolic from 1024 rows: within 3 % of the best of all", uneven, 1.03),
    ]
    return [g for g in found if g]


def crowded_goals(summary):
    latency = summary["latency"] or {}
    found = [worst("no case above 1.5 of oneTBB with as many threads", summary["best_tbb"], CROWDED_LIMIT),
             goal("all-start at most 1.5 of oneTBB with as many threads", latency.get("to_tbb"), CROWDED_LIMIT)]
    return [g for g in found if g]


def size(case):
    return int(case.rsplit("/", 1)[1])
