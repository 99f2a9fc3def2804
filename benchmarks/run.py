#!/usr/bin/python3
"""Runs the benchmarks of all runtimes in turn; writes results.json, report.md and plots. README.md explains it."""

import contextlib
import sys

from runner import break_even, dropin, measure, options, profile, report, summary
from runner.results import Results


class Plan:
    """What to measure: cases in the order of the binaries, which runtime offers which, the start latency's case (None when
    it was not asked for), and the first calls."""

    def __init__(self, o):
        listed = {runtime: measure.list_cases(o, runtime) for runtime in o.runtimes}
        everything = list(dict.fromkeys(case for cases in listed.values() for case in cases))
        start = f"all_start/hot/{o.threads}"
        wanted = [case for case in dict.fromkeys(everything + [start]) if not o.only or o.only.search(case)]
        first = [case for case in wanted if case.startswith("first_call/")]
        if any(case.startswith(break_even.PROBLEM) for case in wanted) and "serial" not in o.runtimes:
            print("serial is measured as well: break-even is told against it")
            o.runtimes = ["serial"] + o.runtimes
            listed["serial"] = measure.list_cases(o, "serial")
        self.cases = [case for case in wanted if case != start and case not in first]
        self.start = start if start in wanted and o.pairs else None
        self.first = [] if o.drop_in or o.crowded else first
        self.offered = {runtime: [case for case in self.cases if case in cases] for runtime, cases in listed.items()}
        self.first_of = {runtime: [case for case in self.first if case in cases] for runtime, cases in listed.items()}
        if not self.cases and not self.start and not self.first:
            options.no_case(o.only.pattern)


def estimate_text(o, plan):
    minutes = measure.estimate_s(o, plan) / 60
    time = f"{minutes / 60:.1f} hours" if minutes > 90 else f"{max(1, round(minutes))} min"
    return f"about {time}, more on a busy machine"


def measure_ping(o, results):
    times, _, _ = measure.run_cases(o, "raw", ["ping/line/2"], 0.003)
    results.ping_ns = min(times["ping/line/2"])


def draw(results, found, folder):
    try:
        from runner import plots
        return plots.draw(results, found, folder)
    except ImportError as error:
        print(f"no plots: {error} (Debian: python3-matplotlib)", file=sys.stderr)
        return []


def finish(o, results):
    """Writes all files; True when every answer was right."""
    writer = dropin if o.drop_in else report
    found = (dropin if o.drop_in else summary).summarise(results, o.crowded)
    results.save(o.out / "results.json", found)
    names = [] if o.drop_in else draw(results, found, o.out)
    short, whole = writer.write(results, found, o.crowded, names)
    (o.out / "report.md").write_text(whole, encoding="utf-8")
    print()
    print(short)
    print(f"{o.out / 'report.md'}, {o.out / 'results.json'} and {len(names)} plots in {o.out}")
    return not results.errors and not results.failed


def main():
    o = options.read_options()
    if o.papers:
        run_in(o, papers)
    else:
        run_in(o, run)


def papers(o):
    try:
        from runner.papers import page
    except ImportError as error:
        options.stop(f"--papers needs {error.name} (Debian: python3-matplotlib)", 1)
    try:
        sys.exit(0 if page.make(o) else 1)
    except KeyboardInterrupt:
        options.stop("interrupted; nothing was written", 130)


def run_in(o, job):
    """The job with its folder, which is gone afterwards if it was new and stays empty."""
    made = not o.out.exists()
    try:
        o.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        options.stop(f"--out {o.out}: {error.strerror}")
    try:
        job(o)
    finally:
        if made:
            with contextlib.suppress(OSError):  # not empty: there are results
                o.out.rmdir()


def run(o):
    try:
        plan = Plan(o)
        profile.choose(o)
        results = Results(o, plan.cases, plan.first)
        print(f"{len(plan.cases)} cases, {len(o.runtimes)} runtimes, {o.threads} threads on {o.cpus} CPUs: "
              f"{estimate_text(o, plan)}", flush=True)
        measure.rounds(o, plan, results)
        if plan.start and o.cpus > 1:
            measure_ping(o, results)
    except measure.Failure as failure:
        options.stop(str(failure), 1)
    except KeyboardInterrupt:
        options.stop("interrupted; nothing was written", 130)
    sys.exit(0 if finish(o, results) else 1)


if __name__ == "__main__":
    main()
