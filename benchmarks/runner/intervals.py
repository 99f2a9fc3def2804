"""The median of a few ratios, what it may be in truth, and whether that is enough for a verdict. Without numpy, as
selfcheck.py is."""

import statistics

COVERAGE = 0.95
FEWEST_PAIRS = 6  # the least number of which the range from least to greatest has that coverage: 1 - 2 / 2 ** n


def median_interval(ratios):
    """Median, and the exact interval of it that needs no distribution: the k-th least to the k-th greatest value, with the
    greatest k whose coverage is enough; with few values least to greatest, and its coverage."""
    values = sorted(float(ratio) for ratio in ratios)
    k, coverage = rank(len(values))
    return {"ratio": statistics.median(values), "low": values[k - 1], "high": values[-k], "n": len(values),
            "coverage": coverage}


def rank(n):
    """k and the coverage. The true median lies outside when fewer than k of n tosses of a coin are heads, or fewer than k
    tails. (A bootstrap of the median never reaches beyond least and greatest either, but says 95 % of any n.)"""
    k = outcomes = beyond = 1  # outcomes with k - 1 heads, and with fewer than k
    while True:
        outcomes = outcomes * (n - k + 1) // k
        if 1 - 2 * (beyond + outcomes) / 2 ** n < COVERAGE:
            return k, 1 - 2 * beyond / 2 ** n
        beyond, k = beyond + outcomes, k + 1


def decides(c):
    """Whether there were pairs enough for a verdict. The mean's bootstrap, which has no coverage to go by, wants as many."""
    return c["n"] >= FEWEST_PAIRS
