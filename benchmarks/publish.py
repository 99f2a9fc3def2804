#!/usr/bin/python3
"""Keeps a run: publish.py RESULTS NAME copies the folder that run.py wrote to results/NAME and puts some of its rows between
the two marks in README.md; those of a --drop-in run into compat/DROPIN.md. For runs on a quiet machine, of what is committed."""

import json
import pathlib
import shutil
import statistics
import subprocess
import sys

import jinja2

from runner.others import warning
from runner.report import ratio_text, time_text

HERE = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- measured: written by benchmarks/publish.py -->\n", "<!-- end of measured -->\n"
ROWS = {"tiny/axpy/128": "a loop over 128 numbers", "transpose/nested/64": "loops in loops: transpose 64 x 64",
        "spmv/triangle/4096": "a sparse triangle times a vector, 4,096 rows", "fib/recursive/30": "recursion: fib(30)"}


def median_ns(data, case, runtime):
    return statistics.median(statistics.median(times) for times in data["times"][case][runtime] if times)


def row(data, case, what):
    comparison = data["summary"]["best_peer"][case]
    return {"what": what, "comparison": comparison, "peer": comparison["peer"], "serial": median_ns(data, case, "serial"),
            "bough": median_ns(data, case, "bough"), "peer_ns": median_ns(data, case, comparison["peer"])}


def section(template, data, **more):
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE / "templates"), undefined=jinja2.StrictUndefined,
                                     keep_trailing_newline=True)
    environment.filters.update(time=time_text, ratio=ratio_text)
    fields = {key: data[key] for key in ("machine", "compiler", "settings")}
    return environment.get_template(template).render(**fields, **more)


def of_suite(data, **more):
    return section("readme.md.j2", data, mean=data["summary"]["means"]["bough / best peer, all cases"],
                   rows=[row(data, case, what) for case, what in ROWS.items()], **more)


def of_dropin(data, **more):
    return section("dropin.md.j2", data, latency=data["summary"]["latency"], goals=data["summary"]["goals"], **more)


def replace_measured(page, text):
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    page.write_text(before + BEGIN + text + END + rest.split(END)[1], encoding="utf-8")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: publish.py RESULTS NAME")
    results, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True,
                            check=True).stdout.strip()
    data = json.loads((results / "results.json").read_text(encoding="utf-8"))
    if warning(data["settings"].get("others_cpus"), data["settings"]["cpus"]):
        sys.exit("publish.py: other programs were busy during this run; nothing was written")
    is_dropin = "best_peer" not in data["summary"]
    page = HERE.parent / ("compat/DROPIN.md" if is_dropin else "README.md")
    replace_measured(page, (of_dropin if is_dropin else of_suite)(data, name=name, commit=commit))
    target = HERE / "results" / name
    if results.resolve() != target:
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(results, target)


if __name__ == "__main__":
    main()
