"""Measures every part that is asked for; writes report.md and results.json."""

import json
import time

from .. import intervals, measure, others, profile, report
from ..options import SECTIONS, no_case, usable_cpus
from ..others import Others
from ..results import Results
from . import cache, exposure, fences, retrieval, starts, total_time

MODULES = {m.NAME: m for m in (total_time, starts, retrieval, cache, fences, exposure)}
assert list(MODULES) == SECTIONS
PAPERS = ("low-latency: \"Low Latency Scheduling on Many-Core CPUs\"; LCWS: \"Synchronization-Light Work Stealing\" "
          "(Custódio, Paulino, Rito, SPAA 2023).")


def make(o):
    """True when every answer was right."""
    o.runtimes, o.asked_rounds = [], o.rounds if o.rounds_given else None
    profile.choose(o)
    whole = Results(o, [], [])
    watch, begin, parts = Others(), time.monotonic(), []
    print(f"{o.threads} threads on {usable_cpus()} CPUs: under 10 minutes, more on a busy machine" if not o.full else
          f"{o.threads} threads on {usable_cpus()} CPUs: an hour or more", flush=True)
    for name, module in MODULES.items():
        print(f"== {name}, {time.monotonic() - begin:.0f} s so far", flush=True)
        part = measured(o, module)
        if part:
            parts.append(part)
            whole.versions.update(part.data.get("versions", {}))
            whole.compiler = part.data.get("compiler", whole.compiler)
    if not parts:
        no_case(o.only.pattern, papers=True)
    whole.settings.update(others_cpus=watch.cpus(), seconds=round(time.monotonic() - begin), rounds=o.asked_rounds)
    text = write(o, whole, parts)
    (o.out / "report.md").write_text(text, encoding="utf-8")
    save(o, whole, parts)
    print("\n".join(claims(parts)))
    if warning := others.warning(whole.settings["others_cpus"], whole.settings["cpus"]):
        print(warning)
    print(f"{o.out / 'report.md'}, {o.out / 'results.json'} and {sum(len(p.plots) for p in parts)} plots in {o.out}")
    return not any(part.troubles for part in parts)


def measured(o, module):
    try:
        return module.measure(o)
    except measure.Failure as failure:
        part = module.Part(module.NAME, module.NAME, "-")
        part.trouble(str(failure))
        return part


def claims(parts):
    lines = ["| figure | the paper | here | |", "|---|---|---|---|"]
    lines += [f"| {c['figure']} | {c['paper']} | {c['measured']} | {c['verdict']} |" for part in parts for c in part.claims]
    return lines + [""]


def write(o, whole, parts):
    m, s = whole.machine, whole.settings
    warning = others.warning(s["others_cpus"], s["cpus"])
    versions = ", ".join(dict.fromkeys(v for v in whole.versions.values() if v not in ("-", "?", "this tree")))
    missing = [name for name in MODULES if name not in [part.name for part in parts]]
    lines = ["# Two papers, measured again", "", *([f"**{warning}**", ""] if warning else []),
             f"{m['cpu']}, {s['cpus']} usable CPUs, {s['threads']} threads, Linux {m['kernel']}, {s['date'][:16]}; "
             f"{'' if whole.compiler == '?' else whole.compiler + ', -O3 -falign-loops=64; '}"
             f"{versions + '; ' if versions else ''}{s['sizes']} sizes, {s['seconds']} s.", "",
             *profile.lines(s), PAPERS, "",
             "A verdict is about this machine: the papers' have 8 to 128 cores. \"Holds\": the whole interval does. "
             "Intervals are order statistics of the median, at least 95 %, or least to greatest of fewer than "
             f"{intervals.FEWEST_PAIRS} ratios, which get no verdict.", "",
             *claims(parts)]
    if missing:
        lines += ["Not asked for (--only): " + ", ".join(missing) + ".", ""]
    troubles = [f"- {part.name}: {text}" for part in parts for text in part.troubles]
    if troubles:
        lines += ["## Went wrong", "", *troubles, ""]
    for part in parts:
        lines += [f"## {part.title}", "", f"{part.figures}.", ""]
        lines += [f"- The paper ({c['figure']}): {c['paper']}. Here: {c['measured']}: {c['verdict']}." for c in part.claims]
        lines += ["", *part.lines]
    return "\n".join(lines)


def save(o, whole, parts):
    data = {"machine": whole.machine, "settings": whole.settings, "versions": whole.versions,
            "parts": {part.name: {"title": part.title, "figures": part.figures, "claims": part.claims,
                                  "troubles": part.troubles, "plots": part.plots, "data": part.data} for part in parts}}
    (o.out / "results.json").write_text(json.dumps(data, indent=1))
