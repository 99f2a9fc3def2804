#!/usr/bin/env python3
"""Configures simulate/ in a folder and builds the tests' programs there. usage: build.py FOLDER COMPILER JOBS"""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def build(folder, compiler, jobs, *options):
    """None, or what a tool said that failed."""
    environment = {**os.environ, "CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1", "CCACHE_SLOPPINESS": "time_macros"}
    if shutil.which("ccache"):
        environment["SIMULATE_CCACHE"] = "ccache"
    for command in (["cmake", "-S", ROOT / "simulate", "-B", folder, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
                     *options],
                    ["cmake", "--build", folder, "--target", "stress", "stress_channels", "machine_checks", "seats",
                     "-j", str(jobs)]):
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                              check=False)
        if done.returncode != 0:
            return done.stdout
    return None


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    said = build(pathlib.Path(sys.argv[1]), *sys.argv[2:])
    if said is not None:
        print(said[-10000:])
        sys.exit("build.py: the scenarios were not built")
