#!/usr/bin/env python3
"""Runs each example on oneTBB and on bough in turns, checks that the answers agree, prints a table, draws a plot.
Times are medians over the turns; of the speed-up it tells the 95 % interval as well.

Called by ./dev demo, which compiles the examples into --bin as NAME-onetbb and NAME-bough.
"""
import argparse
import math
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "benchmarks"))
from runner.intervals import median_interval  # noqa: E402  (the path comes first)
from runner.others import Others, warning  # noqa: E402

EXAMPLES = {"pagerank": ["benchmarks/data/debian12-dependencies.mtx.gz"], "nested": []}
ENGINES = ["onetbb", "bough"]
TURNS = 7
TOLERANCE = 1e-6  # sums of doubles, added in another order


def run(binary, arguments):
    """Returns {case: (checksum, time in ms)} as the program prints them."""
    result = subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        sys.exit(f"{binary} failed ({result.returncode}): {result.stderr}")
    cases, name, checksum = {}, None, None
    for line in result.stdout.splitlines():
        key, _, value = line.partition(" ")
        if key == "case":
            name = value
        elif key == "checksum":
            checksum = float(value)
        elif key == "time_ms":
            cases[name] = (checksum, float(value))
    return cases


def measure(binaries):
    """Returns {case: {engine: [ms]}}; the engines take turns, since machines drift."""
    times = {}
    for example, arguments in EXAMPLES.items():
        for turn in range(TURNS):
            print(f"== {example}: turn {turn + 1} of {TURNS}", file=sys.stderr, flush=True)
            answers = {e: run(binaries / f"{example}-{e}", arguments) for e in ENGINES}
            for case, (expected, _) in answers["onetbb"].items():
                checksum = answers["bough"][case][0]
                if not math.isclose(checksum, expected, rel_tol=TOLERANCE):
                    sys.exit(f"{case}: the answers differ: {expected} on oneTBB, {checksum} on bough")
                for engine in ENGINES:
                    times.setdefault(case, {e: [] for e in ENGINES})[engine].append(answers[engine][case][1])
    return times


def table(times, medians):
    print(f"\n{'case':<20}{'oneTBB':>12}{'bough':>12}   {'speed-up':<22}answers")
    for case, (onetbb, bough) in medians.items():
        s = median_interval(a / b for a, b in zip(times[case]["onetbb"], times[case]["bough"]))
        speedup = f"{s['ratio']:.2f} ({s['low']:.2f} to {s['high']:.2f})"
        print(f"{case:<20}{onetbb:>9.3f} ms{bough:>9.3f} ms   {speedup:<22}agree")
    print(f"Medians of {TURNS} turns; in brackets where the median lies with {100 * s['coverage']:.0f} %.")


def plot(medians, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7, 4))
    positions = range(len(medians))
    axes.bar([p - 0.2 for p in positions], [1.0] * len(medians), 0.4, label="oneTBB", color="#8899aa")
    axes.bar([p + 0.2 for p in positions], [b / t for t, b in medians.values()], 0.4, label="bough", color="#2a7f4f")
    axes.set_xticks(list(positions), list(medians))
    axes.set_ylabel("time, oneTBB = 1 (lower is better)")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    others = Others()
    times = measure(options.bin)
    busy = warning(others.cpus())
    medians = {c: tuple(statistics.median(t[e]) for e in ENGINES) for c, t in times.items()}
    table(times, medians)
    if busy:
        print(f"\n{busy}")
    path = options.out / "demo.png"
    plot(medians, path)
    print(f"\nplot: {path}")


if __name__ == "__main__":
    main()
