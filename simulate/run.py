#!/usr/bin/python3
"""./dev simulate: cases, or a program of the user's, on the virtual machine. See README.md, and --help."""

import os
import signal
import sys

from runner import build, options, report, runs


def end(*_):
    """SIGTERM: none of the runs goes on."""
    runs.kill_all()
    os._exit(128 + signal.SIGTERM)


def main():
    o = options.read(sys.argv[1:], remarks=False)  # ./dev has read them, and said these
    signal.signal(signal.SIGTERM, end)
    held = build.hold()  # until this process ends  # noqa: F841
    build.build(o)
    everything = runs.execute_all(o)
    done = [run for run in everything if not run.trace]
    print(report.table(o, done))
    try:
        if o.json:
            report.write_json(o, done, o.json)
        if o.plot:
            report.plot(o, done, o.plot)
        if o.plot_starts and not report.plot_starts(o, done, o.plot_starts):
            print("simulate: --plot-starts: no case that ran prints starts: all_start and tree_start do", file=sys.stderr)
    except OSError as error:
        sys.exit(f"simulate: {error.filename or o.json}: {error.strerror}")
    failures = [run for run in everything if run.failure]
    for run in failures:
        print(f"simulate: {run.label}: {run.failure}", file=sys.stderr)
    if failures and failures[0].report.count("\n") > 1:
        print(f"simulate: the first of them said:\n{failures[0].report}", end="", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
