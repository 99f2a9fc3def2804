"""Figures 4.3 to 4.5 of the low-latency paper: when each task starts, counted from the first one."""

import copy

import numpy

from .. import intervals
from ..report import ratio_text, time_text
from . import draw, turns
from .part import Part, verdict, wanted

NAME = "starts"
SHAPES = {"loop": "a loop of one chunk per thread", "tree": "a fork tree of one leaf per thread"}
RUNTIMES = ["bough", "bough_even", "bough_uneven", "bough_classic", "tbb"]
PEERS = {"bough_classic": "classic", "tbb": "oneTBB"}
RUNS, QUICK_PROCESSES, FULL_PROCESSES = 100, 6, 20
CROWD = 16  # threads


def measure(o):
    part = Part(NAME, "Start of each task", "low-latency, figures 4.3, 4.4 and 4.5")
    shapes = wanted(o, NAME, SHAPES)
    if not shapes:
        return None
    part.say(f"Each body stamps the time stamp counter when it starts and then waits until all have started, 50 ms at the most. "
             f"{RUNS} runs in each process, one after the other, so that workers are awake; processes take turns. Times are "
             "counted from the first start. The median over all runs, p99 in brackets.")
    runtimes = turns.known_variants(o, part, RUNTIMES)
    processes = o.asked_rounds or (FULL_PROCESSES if o.full else QUICK_PROCESSES)
    for shape in shapes:
        part.data[shape] = {o.threads: of_shape(o, part, shape, runtimes, processes, not o.crowded)}
        if CROWD > o.threads:
            crowd = turns.with_threads(o, CROWD)
            part.data[shape][CROWD] = of_shape(crowd, part, shape, runtimes, 1 if crowd.crowded else processes,
                                                 not crowd.crowded)
    return part


def of_shape(o, part, shape, runtimes, processes, judged):
    rows = {runtime: [] for runtime in runtimes}  # per process: list of runs, each a list of ns, sorted
    alone = dict.fromkeys(runtimes, 0)
    for number in range(processes):
        shift = number % len(runtimes)
        for runtime in runtimes[shift:] + runtimes[:shift]:
            found = turns.printed_json(o, "starts_tbb" if runtime == "tbb" else "starts_bough", [shape, RUNS], runtime)
            rows[runtime].append(found["starts_ns"])
            alone[runtime] += found["not_all_at_once"]
            part.data.setdefault("versions", {})[runtime] = found["version"]
    times = {runtime: numpy.array(rows[runtime]) for runtime in runtimes}  # process, run, task
    lines(o, part, shape, times, alone, judged)
    if judged and o.threads > 1:
        judge(part, shape, times)
    return {runtime: {"starts_ns": rows[runtime], "not_all_at_once": alone[runtime]} for runtime in runtimes}


def relative(times):
    """From the first start; all processes together: run, task."""
    flat = times.reshape(-1, times.shape[2])
    return flat - flat[:, :1]


def lines(o, part, shape, times, alone, judged):
    part.lines += [f"### {SHAPES[shape]}, {o.threads} threads".replace("### a ", "### A "), ""]
    if not judged:
        part.say(f"{o.threads} threads on {o.cpus} CPUs: shown, not judged. This measures the kernel's time slices.")
    counts = range(1, o.threads)
    shown = sorted({counts[0], counts[len(counts) // 2], counts[-1]}) if o.threads > 5 else list(counts)
    head = ["runtime", "call to first start", *(f"start {k + 1}" for k in shown), "between two starts", "not all at once"]
    rows = []
    for runtime, all_times in times.items():
        flat, offsets = all_times.reshape(-1, all_times.shape[2]), relative(all_times)
        gaps = numpy.diff(offsets, axis=1).ravel()
        rows.append([runtime, both(flat[:, 0]), *(both(offsets[:, k]) for k in shown), both(gaps) if len(gaps) else "-",
                     f"{alone[runtime]} of {len(flat)}"])
    part.table(head, rows)
    if o.threads < 2:
        part.say("One thread: there is no second start.")
        return
    median = {r: curve(relative(t), 50) for r, t in times.items()}
    late = {r: curve(relative(t), 99) for r, t in times.items()}
    title = f"{SHAPES[shape]}, {o.threads} threads"
    part.plot(draw.curves(o.out, f"starts_{shape}_{o.threads}.png", median, "task, in the order of starts",
                          "µs after the first start", title, faint=late, scale="symlog"),
              f"Start of the k-th task as in figures 4.3 and 4.4: {title}; dashed: 99th percentile")
    part.plot(draw.boxes(o.out, f"starts_{shape}_{o.threads}_boxes.png",
                         {r: relative(t)[:, 1:].ravel() / 1000 for r, t in times.items()}, "µs after the first start", title,
                         log=True, whiskers=(1, 99)), f"All starts but the first as in figure 4.5: {title}")


def curve(offsets, percentile):
    """(task, µs)"""
    return [(k + 1, float(numpy.percentile(offsets[:, k], percentile)) / 1000) for k in range(offsets.shape[1])]


def both(values):
    return f"{time_text(float(numpy.median(values)))} ({time_text(float(numpy.percentile(values, 99)))})"


def judge(part, shape, times):
    """Every start against the same start of the peers: ratios of medians, process by process."""
    for peer, name in PEERS.items():
        if peer not in times:
            continue
        worst = None
        for k in range(1, times["bough"].shape[2]):
            mine, theirs = (numpy.median(times[r][:, :, k] - times[r][:, :, 0], axis=1) for r in ("bough", peer))
            ratios = [a / b for a, b in zip(mine, theirs) if b > 0]
            c = dict(intervals.median_interval(ratios), task=k + 1) if ratios else None
            if c and (worst is None or c["ratio"] > worst["ratio"]):
                worst = c
        text = f"{ratio_text(worst)} (worst: start {worst['task']})" if worst else "-"
        part.claim("4.3 to 4.5", f"hybrid starts every task earlier than {name}: {SHAPES[shape]}", text, verdict(worst, 1.0))
        part.data.setdefault("ratios", {})[f"{shape}/{peer}"] = copy.copy(worst)
