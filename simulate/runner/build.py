"""Configures and builds build/simulate: what a run needs, and nothing else."""

import fcntl
import os
import re
import shutil
import subprocess
import sys

from .options import BOUGH, FORMS, HAND, HERE, stop

ROOT = HERE.parent
BUILD = ROOT / "build" / "simulate"
ONETBB_SOURCE = ROOT / "build" / "onetbb-src"
OPENMP_SOURCE = ROOT / "build" / "openmp-src"
COMPILER = os.environ.get("SIMULATE_COMPILER", "clang++-19")


def family(runtime):
    """Of which program a runtime is one way."""
    return BOUGH if runtime in FORMS else HAND if runtime == HAND else runtime.split("-")[0]


def executable(case, runtime):
    return BUILD / f"{case}_{family(runtime)}"


def hold():
    """The build folder, for one ./dev simulate at a time: a second one would replace the programs that the first runs."""
    BUILD.mkdir(parents=True, exist_ok=True)
    lock = open(BUILD / "in-use", "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("== waiting for another ./dev simulate in this checkout", file=sys.stderr, flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def run_tool(words, log):
    """Its output goes to the file; None, or the output if it failed."""
    environment = {**os.environ, "CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1", "CCACHE_SLOPPINESS": "time_macros"}
    if shutil.which("ccache"):
        environment["SIMULATE_CCACHE"] = "ccache"
    with open(log, "w", encoding="utf-8") as out:  # as it goes on, so that the user can look
        done = subprocess.run(words, stdout=out, stderr=subprocess.STDOUT, env=environment, check=False)
    return log.read_text(errors="replace") if done.returncode != 0 else None


def build(o):
    if o.program and not ONETBB_SOURCE.is_dir():
        stop(f"{o.program}: a program needs oneTBB's source in build/onetbb-src; run ./dev setup")
    BUILD.mkdir(parents=True, exist_ok=True)
    program = os.path.abspath(o.program) if o.program else ""
    failed = run_tool(["cmake", "-S", HERE, "-B", BUILD, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}",
                       f"-DONETBB_SOURCE={ONETBB_SOURCE if ONETBB_SOURCE.is_dir() else ''}",
                       f"-DOPENMP_SOURCE={OPENMP_SOURCE if OPENMP_SOURCE.is_dir() else ''}",
                       f"-DSIMULATE_PROGRAM={program}"], BUILD / "configure.log")
    if failed is not None:
        print(failed, file=sys.stderr)
        sys.exit("simulate: CMake could not configure build/simulate")
    targets = sorted({executable(case, runtime).name for case, runtimes in o.wanted.items() for runtime in runtimes})
    duration = "" if all((BUILD / target).exists() for target in targets) else "some minutes; "
    programs = "a program" if len(targets) == 1 else f"{len(targets)} programs"
    print(f"== building {programs} for the virtual machine ({duration}output: build/simulate/build.log)",
          file=sys.stderr)
    failed = run_tool(["cmake", "--build", BUILD, "-j", os.environ.get("SIMULATE_JOBS", "2"), "--target", *targets],
                      BUILD / "build.log")
    if failed is None:
        return
    if o.program:
        blame(o.program, failed)
    print(failed[-4000:], file=sys.stderr)
    sys.exit("simulate: the build failed; all of its output: {}".format(BUILD / "build.log"))


def blame(program, output):
    """One line, if it is the program's own fault."""
    if not re.search(r"^FAILED: .*\bprogram_", output, re.MULTILINE):
        return
    error = re.search(r"^(.*?): (?:fatal )?error: (.*)$", output, re.MULTILINE)
    fault = re.search(r"^simulate: .*: [0-9a-f]+ in (.*): (.*)$", output, re.MULTILINE)
    missing = re.search(r"undefined (?:reference|symbol)[^\n]*", output)
    if missing:
        stop(f"{program}: does not link: {missing[0]}")
    if fault:
        stop(f"{program}: cannot be simulated: it has {fault[2]} in {fault[1]}")
    if error and "bough/" in error[2] and "file not found" in error[2]:
        stop(f"{program}: uses bough's own headers, which no other runtime has: --runtimes bough")
    if error:
        stop(f"{program}: does not compile: {os.path.basename(error[1])}: {error[2]}")
