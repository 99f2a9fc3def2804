#!/usr/bin/python3
"""Keeps a run: publish.py RESULTS NAME copies the folder that run.py wrote to results/NAME and puts its goals, some of its
rows and its start latencies into README.md, between the two marks there; those of a --drop-in run into compat/DROPIN.md.
For runs on a quiet machine, of what is committed."""

import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
README, DROPIN = HERE.parent / "README.md", HERE.parent / "compat/DROPIN.md"
BEGIN, END = "<!-- measured: written by benchmarks/publish.py -->\n", "<!-- end of measured -->\n"
ROWS = ["tiny/axpy/2", "tiny/axpy/128", "tiny/axpy/4096", "spmv/balanced/1024", "spmv/triangle/4096",
        "spmv/hyperbolic/16384", "scan/sweeps/4096", "scan/sweeps/65536", "reduce/sum/32768", "transpose/nested/64",
        "transpose/nested/256", "matmul/nested/128", "heat/jacobi/256", "competing/axpy/4", "fib/recursive/30",
        "nqueens/all/11", "cilksort/random/100000", "uts/geometric/6", "lu/sparse/256"]


def table(lines, title):
    """The table whose head begins with `title`, head and rule included."""
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {title} |"))
    end = next(i for i in range(start, len(lines)) if not lines[i].startswith("|"))
    return lines[start:end]


def dropin_section(lines, name, commit):
    text = [setting(lines),
            f"Measured on commit {commit}; ratios below 1: bough is faster. {interval(lines)} All cases and raw values: "
            f"[benchmarks/results](../benchmarks/results/{name}/report.md). `./dev bench --drop-in` makes the same on your "
            "machine.", "", *table(lines, "all threads started"), "", *table(lines, "goal")]
    return "\n".join(text) + "\n"


def setting(lines):
    return next(line for line in lines if " usable CPUs, " in line)


def interval(lines):
    return next(line for line in lines if line.startswith("Interval: "))


def section(lines, name, commit):
    cases = table(lines, "case")
    chosen = cases[:2] + [line for line in cases[2:] if line.split("|")[1].strip() in ROWS]
    text = [setting(lines),
            f"Measured on commit {commit}; ratios below 1: bough is faster. The best of eight peer configurations is picked per "
            "case on odd rounds and compared on even ones: ratios are medians over pairs of runs, not "
            "quotients of the times beside them; the worst case of a goal is the one whose interval begins highest. "
            f"{interval(lines)} All cases, plots and raw values: "
            f"[benchmarks/results](benchmarks/results/{name}/report.md). `./dev bench` makes the same on your machine.", "",
            *table(lines, "goal"), "", *table(lines, "geometric mean of"), "", *chosen, "", "All threads started, last start minus call:", "",
            *table(lines, "runtime")]
    return "\n".join(text) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: publish.py RESULTS NAME")
    results, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True,
                            check=True).stdout.strip()
    lines = (results / "report.md").read_text(encoding="utf-8").splitlines()
    if any("not to be trusted" in line for line in lines):
        sys.exit("publish.py: other programs were busy during this run; nothing was written")
    is_dropin = lines[0].startswith("# Unmodified")
    new = (dropin_section if is_dropin else section)(lines, name, commit)
    page = DROPIN if is_dropin else README
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    target = HERE / "results" / name
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(results, target)
    page.write_text(before + BEGIN + new + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
