"""From how many iterations on a parallel loop is faster than the serial one."""

PROBLEM = "break_even/"


def cost(case):
    return case.split("/")[1]


def sizes(results):
    """{cost of an iteration: [number of iterations]}"""
    found = {}
    for case in results.cases:
        if case.startswith(PROBLEM):
            found.setdefault(cost(case), []).append(int(case.rsplit("/", 1)[1]))
    return found


def curve(results, cost_name, counts, runtime):
    """[(n, serial time / time)]"""
    times = [(n, *(results.median(f"{PROBLEM}{cost_name}/{n}", r) for r in ("serial", runtime))) for n in counts]
    return [(n, serial / time) for n, serial, time in times if serial and time]


def summarise(results):
    """{cost: {"serial_ns": measured cost of an iteration, runtime: the least n from which on it is not slower, or None}}"""
    found = {}
    for name, counts in sizes(results).items():
        largest = results.median(f"{PROBLEM}{name}/{counts[-1]}", "serial")
        row = {"serial_ns": largest / counts[-1] if largest else None}
        for runtime in results.runtimes:
            points = curve(results, name, counts, runtime)
            if runtime != "serial" and points:
                row[runtime] = first_paying(points)
        found[name] = row
    return found


def first_paying(points):
    paying = None
    for n, speedup in reversed(points):
        if speedup < 1:
            break
        paying = n
    return paying
