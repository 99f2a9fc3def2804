"""The fork-join cases, and what bough counted in each of them."""

from .. import measure, variants
from . import turns
from .part import wanted

CASES = ["fib/", "integrate/", "nqueens/", "cilksort/", "quicksort/", "uts/", "lu/", "word_count/", "knapsack/",
         "matmul_recursive/", "strassen/", "pi/"]
EVENT = "event_"
SHORT_S = 0.003


def cases(o, section):
    return wanted(o, section, turns.cases_of(o, "bough", CASES))


def counted(o, part, runtime, names):
    """{case: {event: per run}} of one new process; {} when this build counts nothing."""
    with turns.counting():
        try:
            entries, errors, _ = measure.run_entries(o, runtime, names, SHORT_S, 1)
        except measure.Failure as failure:
            part.trouble(str(failure))
            return {}
    for case, message in errors.items():
        part.trouble(f"{runtime}, {case}: {message}")
    found = {case: {plain(name): value for name, value in entry.items() if name.startswith(EVENT)}
             for case, entry in entries}
    return {case: events for case, events in found.items() if events}


def plain(name):
    return name.removeprefix(EVENT).replace(" ", "_").replace("-", "_")


def counts(o, part, runtimes, names, rounds):
    """{runtime: {case: {event: [per run, of each round]}}}, the runtimes in turn."""
    found = {runtime: {} for runtime in runtimes}
    for number in range(rounds):
        shift = number % len(runtimes)
        for runtime in runtimes[shift:] + runtimes[:shift]:
            for case, events in counted(o, part, runtime, names).items():
                for name, value in events.items():
                    found[runtime].setdefault(case, {}).setdefault(name, []).append(value)
    return {runtime: cases for runtime, cases in found.items() if cases}


NO_COUNTERS = "this build has no counters (include/bough/statistics.h), or they stayed off"


def mean(found, case, name):
    values = found.get(case, {}).get(name)
    return sum(values) / len(values) if values else None


def total(found, names, event):
    """Over the cases; None where one has no count."""
    values = [mean(found, case, event) for case in names]
    return sum(values) if values and None not in values else None


def queue_of(runtime):
    return runtime.removeprefix(variants.BY_QUEUE)
