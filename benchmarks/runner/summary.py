"""What the numbers say about bough, goal by goal."""

from . import break_even, intervals, stability, stats
from .options import PEERS, TBB

CASE_LIMIT = 1.03
MEAN_LIMIT = 0.7
SERIAL_FACTOR, SERIAL_NS = 1.05, 30  # what a loop may take: the larger of serial x this and serial + this
NEST, NEST_FACTOR = "transpose/nested/64", 1.3  # 65 tiny loops: they may take this much of serial
LOOPS = ("tiny", "spmv", "scan", "reduce", "transpose", "matmul", "heat", "competing", "break_even")
LARGE_NS = 10_000  # a case that takes bough less says little of how work is shared out
CROWDED_LIMIT = 1.5  # more threads than CPUs, against oneTBB: the kernel's time slices decide


def summarise(results, crowded):
    peers = TBB if crowded else PEERS
    best = with_values({case: stats.compare(results, case, peers) for case in results.cases})
    groups = with_values({case: stats.compare(results, case, ["tbb_group"], "bough_group") for case in results.cases})
    invoked = with_values({case: stats.compare(results, case, ["tbb_invoke"]) for case in results.cases})
    serial = with_values({case: against_serial(results, case) for case in results.cases if case.split("/")[0] in LOOPS})
    tbb = with_values({case: stats.compare(results, case, TBB) for case in results.cases})
    limit = CROWDED_LIMIT if crowded else CASE_LIMIT
    # 80 break-even cases would outweigh all others together.
    averaged = {case: c for case, c in best.items() if not case.startswith(break_even.PROBLEM)}
    mean = stats.geometric_mean(results, averaged)
    summary = {"best_peer": best, "best_tbb": tbb, "groups": groups, "invoked": invoked, "limit": limit,
               "geometric_mean": mean, "means": means(results, averaged, mean),
               "slower": [case for case, c in best.items() if exceeds(c, limit)],
               "serial": serial, "above_serial": [case for case, c in serial.items() if exceeds(c, 1.0)],
               "latency": stats.latency(results, TBB), "stability": stability.summarise(results),
               "first_calls": stats.first_calls(results), "break_even": break_even.summarise(results)}
    summary["goals"] = crowded_goals(summary) if crowded else goals(results, summary)
    return summary


def with_values(comparisons):
    return {case: c for case, c in comparisons.items() if c}


def exceeds(c, limit):
    """The whole interval lies above, and it has the coverage."""
    return c["low"] > limit and intervals.decides(c)


def means(results, comparisons, mean):
    """{what: geometric mean}: to the best peer over all cases and by problem, and to bough with stealing only."""
    found = {"bough / best peer, all cases": mean}
    for problem in dict.fromkeys(case.split("/")[0] for case in comparisons):
        found[problem] = stats.geometric_mean(results, named(comparisons, problem + "/"))
    large = [case for case in comparisons if (results.median(case, "bough") or 0) >= LARGE_NS]
    found["bough / bough_classic, all cases"] = to_classic(results, comparisons)
    found[f"bough / bough_classic, cases of {LARGE_NS // 1000} µs or more"] = to_classic(results, large)
    return with_values(found)


def to_classic(results, cases):
    """In all rounds: nothing is picked."""
    return stats.mean_of_medians((results.per_round(case, "bough"), results.per_round(case, "bough_classic"))
                                 for case in cases if results.median(case, "bough_classic"))


def allowed_ns(case, serial_ns):
    if case == NEST:
        return NEST_FACTOR * serial_ns
    return max(SERIAL_FACTOR * serial_ns, serial_ns + SERIAL_NS)


def against_serial(results, case):
    """bough to what it may take, in the same round."""
    allowed = [allowed_ns(case, ns) if ns else None for ns in results.per_round(case, "serial")]
    ratios = stats.paired(results.per_round(case, "bough"), allowed)
    return dict(intervals.median_interval(ratios), peer="serial") if ratios else None


def goal(text, c, limit):
    """c: a ratio with its interval. Missed only when the whole interval lies above the limit."""
    if not c:
        return None
    if not intervals.decides(c):
        verdict = f"undecided, {c['n']} pairs"
    else:
        verdict = "missed" if c["low"] > limit else "met" if c["ratio"] <= limit else "met within the interval"
    return dict(c, goal=text, limit=limit, verdict=verdict)


def worst(text, comparisons, limit):
    """The case with the highest lower bound stands for all, one that exceeds the limit for certain before others."""
    if not comparisons:
        return None
    case = max(comparisons, key=lambda name: (exceeds(comparisons[name], limit), comparisons[name]["low"]))
    return goal(f"{text} (worst: {case} against {comparisons[case]['peer']})", comparisons[case], limit)


def goals(results, summary):
    latency = summary["latency"] or {}
    short = {case: c for case, c in summary["best_tbb"].items() if case.startswith("tiny/") and size(case) <= 128}
    rivals = PEERS + ["serial", "bough_classic"]
    uneven = with_values({case: stats.compare(results, case, rivals) for case in results.cases
                          if case.startswith(("spmv/triangle/", "spmv/hyperbolic/")) and size(case) >= 1024})
    found = [
        goal("all-start at most 1.8 of the hand-written one", latency.get("to_raw"), 1.8),
        goal("all-start at most 0.5 of oneTBB's best", latency.get("to_tbb"), 0.5),
        goal("all-start at most 1.0 of Eigen's pool", latency.get("peers", {}).get("eigen"), 1.0),
        goal(f"geometric mean over all cases at most {MEAN_LIMIT} of the best peer", summary["geometric_mean"], MEAN_LIMIT),
        worst(f"no case above {CASE_LIMIT} of its best peer", summary["best_peer"], CASE_LIMIT),
        worst(f"every loop within what it may take, max({SERIAL_FACTOR} x serial, serial + {SERIAL_NS} ns)",
              {case: c for case, c in summary["serial"].items() if case != NEST}, 1.0),
        worst(f"{NEST} within {NEST_FACTOR} x serial",
              {case: c for case, c in summary["serial"].items() if case == NEST}, 1.0),
        worst("fib by parallel_invoke at most 0.3 of oneTBB's", named(summary["invoked"], "fib/"), 0.3),
        worst("fib by task_group at most 0.5 of oneTBB's", named(summary["groups"], "fib/"), 0.5),
        worst("2 to 128 tiny iterations: no more than oneTBB's best", short, 1.0),
        worst("SPMV triangle and hyperbolic from 1024 rows: within 3 % of the best of all", uneven, 1.03),
    ]
    return [g for g in found if g]


def named(comparisons, start):
    return {case: c for case, c in comparisons.items() if case.startswith(start)}


def crowded_goals(summary):
    latency = summary["latency"] or {}
    found = [worst("no case above 1.5 of oneTBB with as many threads", summary["best_tbb"], CROWDED_LIMIT),
             goal("all-start at most 1.5 of oneTBB with as many threads", latency.get("to_tbb"), CROWDED_LIMIT)]
    return [g for g in found if g]


def size(case):
    return int(case.rsplit("/", 1)[1])
