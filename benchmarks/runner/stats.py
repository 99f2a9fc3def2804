"""Ratios with intervals. The best peer is picked on odd rounds and compared on even ones, so that luck in picking
does not count against bough."""

import numpy
import scipy.stats

from .intervals import median_interval

SAMPLES = 2000
SEED = 20240229  # any: the same report from the same numbers


def paired(left, right):
    """Ratios of the rounds in which both were measured."""
    return [a / b for a, b in zip(left, right) if a is not None and b is not None]


def odd(values):
    return values[0::2]


def even(values):
    return values[1::2]


def pick_best(results, case, runtimes):
    """The runtime with the smallest median over odd rounds."""
    best = None
    for runtime in runtimes:
        values = [v for v in odd(results.per_round(case, runtime)) if v is not None]
        if values and (best is None or numpy.median(values) < best[0]):
            best = (float(numpy.median(values)), runtime)
    return best[1] if best else None


def compare(results, case, runtimes, subject="bough"):
    """subject against the best of runtimes: {"peer", "ratio", "low", "high", "n", "coverage"}, or None."""
    peer = pick_best(results, case, [r for r in runtimes if r in results.runtimes])
    if peer is None or subject not in results.runtimes:
        return None
    ratios = paired(even(results.per_round(case, subject)), even(results.per_round(case, peer)))
    return dict(median_interval(ratios), peer=peer) if ratios else None


def geometric_mean(results, comparisons, subject="bough"):
    """Over all cases; the interval is over rounds, resampled for all cases alike."""
    return mean_of_medians((even(results.per_round(case, subject)), even(results.per_round(case, c["peer"])))
                           for case, c in comparisons.items())


def mean_of_medians(pairs):
    """pairs: of each case the values per round, left and right; those with a round missing do not count. The interval is a
    bootstrap over rounds: medians of many cases have no order statistics in common."""
    rows = [numpy.log(numpy.array(left) / numpy.array(right)) for left, right in pairs
            if None not in left and None not in right]
    if not rows:
        return None
    table = numpy.array(rows)
    count = table.shape[1]

    def mean(rounds):
        return float(numpy.exp(numpy.mean(numpy.median(table[:, rounds], axis=1))))

    low = high = mean(range(count))
    if count > 1:
        low, high = scipy.stats.bootstrap((numpy.arange(count),), mean, vectorized=False, n_resamples=SAMPLES,
                                          method="percentile", random_state=SEED).confidence_interval
    return {"ratio": mean(range(count)), "low": float(low), "high": float(high), "cases": len(rows), "n": count}


def first_calls(results):
    """{case: {runtime: {"first": median ns over processes, ...}}}"""
    return {case: {runtime: {call: float(numpy.median(values)) for call, values in calls.items() if values}
                   for runtime, calls in rows.items()} for case, rows in results.first_calls.items()}


def latency(results, tbb):
    """Start latency from the pairs that were kept: bough to raw, and to the best of tbb."""
    kept = [t for t in results.latency if t["kept"]]
    if not kept:
        return None
    raw = [(t["raw_before"] * t["raw_after"]) ** 0.5 for t in kept]
    summary = {"pairs": len(results.latency), "kept": len(kept), "raw_ns": float(numpy.median(raw)),
               "bough_ns": float(numpy.median([t["bough"] for t in kept])),
               "to_raw": median_interval([t["bough"] / r for t, r in zip(kept, raw)]), "peers": {}}
    for peer in dict.fromkeys(t["peer"] for t in kept):
        mine = [(t, r) for t, r in zip(kept, raw) if t["peer"] == peer]
        summary["peers"][peer] = dict(median_interval([t["bough"] / t["peer_ns"] for t, _ in mine]),
                                      ns=float(numpy.median([t["peer_ns"] for t, _ in mine])))
    summary["to_tbb"] = latency_best(kept, tbb)
    return summary


def latency_best(kept, names):
    """The best of names by its ratio to bough on odd rounds, compared on even ones."""
    def ratios(peer, parity):
        return [t["bough"] / t["peer_ns"] for t in kept if t["peer"] == peer and t["round"] % 2 == parity]

    candidates = [name for name in names if ratios(name, 1) and ratios(name, 0)]
    if not candidates:
        return None
    best = max(candidates, key=lambda name: numpy.median(ratios(name, 1)))
    return dict(median_interval(ratios(best, 0)), peer=best)
