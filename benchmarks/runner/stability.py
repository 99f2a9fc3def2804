"""How alike new processes are: the slowest process's median of a case, against the median over all processes."""

import numpy

START = "all_start"


def worst(values):
    """{"worst": slowest / median, "processes": how many}; None for fewer than two."""
    return {"worst": float(max(values) / numpy.median(values)), "processes": len(values)} if len(values) > 1 else None


def summarise(results):
    """{case: {runtime: ...}} for bough and the serial reference, which shows how steady the machine was."""
    found = {}
    for case in results.cases:
        rows = {runtime: worst(results.per_process(case, runtime)) for runtime in results.stable_runtimes()}
        found[case] = {runtime: row for runtime, row in rows.items() if row}
    start = worst(starts(results))
    if start:
        found[START] = {"bough": start}
    return {case: rows for case, rows in found.items() if "bough" in rows}


def starts(results):
    """Start latency of each process in units of the raw limit that the same process measured."""
    pairs = [(t["bough"], t["bough_raw"]) for t in results.latency] + [(t["ns"], t["raw_ns"]) for t in results.more_starts]
    return [ns / raw for ns, raw in pairs if raw]
