"""The runner's options. Anything not understood ends with one line and exit code 2. Run alone (python -m
runner.options) this only checks them: ./dev bench does so before it builds."""

import argparse
import json
import math
import os
import pathlib
import re
import sys

from . import variants

FORKS = ["tbb_invoke", "tbb_group", "omp_tasks", "taskflow"]  # peers that run no loops
PEERS = ["tbb_auto", "tbb_affinity", "tbb_simple", "tbb_static", "omp_static", "omp_dynamic", "omp_guided", "eigen"] + FORKS
TBB = [name for name in PEERS if name.startswith("tbb_")]
RUNTIMES = ["serial", "bough", "bough_classic", "bough_group"] + PEERS
OPTIONAL = ["taskflow"]  # left out without a word where it was not built
ON_BOUGH = "@bough"  # after a name of TBB: that binary, started on our libtbb.so.12
MAX_THREADS = 1024
BUILT_IN = "default"  # the profile of that name
PROFILES = f"'{BUILT_IN}', or a file that bough-calibrate wrote on this machine"
MOST_PROFILE_BYTES = 1_000_000  # as the runtime has it
QUICK_BUDGET_S = 360  # 12 rounds take 5 minutes on 2 cores of an EPYC
QUICK_ROUNDS = 12  # half of them are compared: the fewest that allow a verdict, intervals.FEWEST_PAIRS
QUICK_PROCESSES, FULL_PROCESSES = 3, 10
NAME = os.environ.get("BENCH_CALLED_AS", "run.py")
HERE = pathlib.Path(__file__).resolve().parent.parent
TEXTS = ["/usr/share/common-licenses", str(HERE.parent / "LICENSE")]  # the first that is there
# What there is, sizes aside, and spmv/FILE and word_count/NAME, named after files. selfcheck.py asks the binaries.
CASES = ["tiny/axpy", "spmv/balanced", "spmv/triangle", "spmv/hyperbolic", "scan/sweeps", "reduce/sum", "reduce/max",
         "sort/doubles", "scan/prefix", "scan/deterministic", "reduce/deterministic", "transpose/nested", "matmul/nested",
         "heat/jacobi", "competing/axpy", "break_even/1ns", "break_even/4ns", "break_even/16ns", "break_even/64ns", "break_even/256ns", "first_call/axpy", "first_call/64ns", "fib/recursive",
         "integrate/adaptive", "nqueens/all", "cilksort/random", "quicksort/random", "uts/geometric", "uts/binomial",
         "lu/sparse", "word_count", "knapsack/branch_and_bound", "matmul_recursive/quarters", "strassen/seven",
         "pi/monte_carlo", "all_start/hot"]
SECTIONS = ["total_time", "starts", "retrieval", "cache", "fences", "exposure"]  # of --papers
PROBLEMS = list(dict.fromkeys(case.split("/")[0] for case in CASES))


def usable_cpus():
    """CPUs in the affinity mask, or fewer when a cgroup quota says so."""
    cpus = len(os.sched_getaffinity(0))
    try:
        quota, period = pathlib.Path("/sys/fs/cgroup/cpu.max").read_text().split()
        if quota != "max":
            cpus = min(cpus, max(1, math.ceil(int(quota) / int(period))))
    except (OSError, ValueError):
        pass
    return cpus


def whole_number(low, high):
    def convert(text):
        if not text.isascii() or not text.isdigit() or not low <= int(text[:12]) <= high:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {low} to {high}")
        return int(text)

    return convert


def regex(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not a regular expression: {error}")


def runtime_list(text):
    names = [name for name in text.split(",") if name]
    unknown = [name for name in names if name not in RUNTIMES]
    if unknown or not names:
        raise argparse.ArgumentTypeError(f"unknown: {','.join(unknown) or text!r}; allowed: {','.join(RUNTIMES)}")
    return [name for name in RUNTIMES if name in names]


def profile(text):
    """The file, or BUILT_IN. Of a file only the runtime knows whether it is allowed: profile.py asks it."""
    if text == BUILT_IN:
        return BUILT_IN
    try:
        with open(text, "rb") as file:
            found = json.loads(file.read(MOST_PROFILE_BYTES))
    except OSError as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error.strerror}; allowed is {PROFILES}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != "bough profile":
        raise argparse.ArgumentTypeError(f"'{text}' is no profile of bough; allowed is {PROFILES}")
    return pathlib.Path(text)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        unknown = re.match(r"unrecognized arguments: (\S+)", message)
        if unknown:
            names = [word for action in self._actions for word in action.option_strings if word.startswith("--")]
            message = f"unknown option '{unknown[1]}'; allowed: {', '.join(names)}"
        stop(message.removeprefix("argument "))


def words(pattern):
    return re.findall("[A-Za-z_]+", pattern)


def surely_unknown(pattern, names):
    """Each alternative of a plain pattern has a word that is in no name. Of the others only the binaries can tell."""
    plain = re.sub(r"[.][*+]", " ", pattern)
    return not re.search(r"[][*+?{}\\]", plain) and all(
        any(all(word not in name for name in names) for word in words(part)) for part in plain.split("|"))


def no_case(pattern, papers=False):
    if papers:
        stop(f"--only {pattern}: no part matches; with --papers there are {', '.join(SECTIONS)}, and cases of them")
    stop(f"--only {pattern}: no case matches; there are {', '.join(PROBLEMS)} (a name is like {CASES[0]}/2)")


def parser():
    p = Parser(prog=NAME, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
                                description="Runs the benchmarks of all runtimes in turn and writes a report.")
    size = p.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="about 5 minutes on 2 cores (the default)")
    size.add_argument("--full", action="store_true", help="more sizes, more rounds; hours rather than minutes")
    p.add_argument("--only", type=regex, metavar="REGEX", help="cases whose name (problem/case/size) matches")
    p.add_argument("--threads", type=whole_number(1, MAX_THREADS), metavar="N",
                   help=f"threads of every runtime, 1 to {MAX_THREADS} (default: usable CPUs)")
    p.add_argument("--rounds", type=whole_number(2, 1000), metavar="N",
                   help=f"rounds, 2 to 1000 (default: up to {QUICK_ROUNDS} in the time of --quick; --full 20)")
    p.add_argument("--processes", type=whole_number(2, 1000), metavar="N",
                   help=f"fresh processes for the stability of each case, at least (default: {QUICK_PROCESSES}, "
                        f"--full {FULL_PROCESSES}); every round is one, further ones run bough alone")
    p.add_argument("--runtimes", type=runtime_list, metavar="LIST",
                   help="comma list of " + ",".join(RUNTIMES) + " (default: all; with more threads than CPUs: serial, "
                        "bough and oneTBB's)")
    p.add_argument("--matrix", metavar="FILE", help="a Matrix Market file (.mtx, .mtx.gz) "
                                                    "(default: data/debian12-dependencies.mtx.gz)")
    p.add_argument("--text", metavar="FILE", help="a file or folder of text for word_count (default: the licenses that "
                                                  "Debian has, else our own)")
    p.add_argument("--profile", type=profile, metavar="FILE",
                   help=f"bough's profile: {PROFILES} (without it, this machine is calibrated first)")
    p.add_argument("--drop-in", action="store_true",
                   help="oneTBB's binaries, unmodified, on oneTBB's library and on bough's")
    p.add_argument("--papers", action="store_true",
                   help="the tables and figures of two papers instead; --only names sections or their cases: "
                        + ", ".join(SECTIONS))
    p.add_argument("--build", metavar="DIR", help="build folder with bin/bench_* (default: build/bench)")
    p.add_argument("--release", metavar="DIR", help="build folder with bin/bough-run (default: build/release)")
    p.add_argument("--out", metavar="DIR", help="folder for the results (default: build/bench-results, "
                                               "build/bench-drop-in or build/bench-papers)")
    return p


def read_options(arguments=None):
    o = check_options(arguments)
    require_binaries(o)
    return o


def check_options(arguments=None):
    o = parser().parse_args(arguments)
    if o.papers and (o.drop_in or o.runtimes):
        stop("--papers chooses its runtimes itself: neither --drop-in nor --runtimes goes with it")
    o.profile_file = o.profile_used = None  # profile.choose() sets them
    o.cpus = usable_cpus()
    o.threads = o.threads or o.cpus
    o.crowded = o.threads > o.cpus
    o.budget_s = None if o.rounds or o.full or o.drop_in else QUICK_BUDGET_S
    o.rounds_given = o.rounds is not None
    o.rounds = o.rounds or (20 if o.full else QUICK_ROUNDS)
    o.processes = o.processes or (FULL_PROCESSES if o.full else QUICK_PROCESSES)
    o.break_even = o.full or bool(o.only and any(len(w) > 3 and w in "break_even" for w in words(o.only.pattern)))
    o.text = pathlib.Path(o.text or next(text for text in TEXTS if os.path.exists(text) or text == TEXTS[-1]))
    choose_runtimes(o)
    o.matrix = pathlib.Path(o.matrix or HERE / "data/debian12-dependencies.mtx.gz")
    o.build = pathlib.Path(o.build or HERE.parent / "build/bench")
    o.release = pathlib.Path(o.release or HERE.parent / "build/release")
    o.out = pathlib.Path(o.out or HERE.parent / default_out(o))
    if not os.access(o.matrix, os.R_OK):
        stop(f"{o.matrix}: cannot be read; --matrix names a Matrix Market file (.mtx, .mtx.gz)")
    if not os.access(o.text, os.R_OK):
        stop(f"{o.text}: cannot be read; --text names a file or a folder of text")
    if o.only and surely_unknown(o.only.pattern, CASES + [o.matrix.name, o.text.name] + (SECTIONS if o.papers else [])):
        no_case(o.only.pattern, o.papers)
    return o


def default_out(o):
    return "build/bench-papers" if o.papers else "build/bench-drop-in" if o.drop_in else "build/bench-results"


def require_binaries(o):
    require_tools(o)
    if o.papers:
        return require_papers(o)
    if o.drop_in and not (o.release / "bin/bough-run").is_file():
        stop(f"no {o.release / 'bin/bough-run'}: build bough-run first, or name the folder with --release")
    if not o.named:
        o.runtimes = [r for r in o.runtimes if r not in OPTIONAL or binary(o, r).is_file()]
    missing = [r for r in o.runtimes + ["raw"] if not binary(o, r).is_file()]
    if missing:
        stop(f"no {binary(o, missing[0])}: build the benchmarks first ({', '.join(missing)} missing), "
             f"or name the folder with --build")


def require_tools(o):
    for name in ["bough"] + (["bough-calibrate"] if o.profile is None else []):
        if not (o.build / "bin" / name).is_file():
            stop(f"no {o.build / 'bin' / name}: build the benchmarks first, with BOUGH_BUILD_CALIBRATE=ON, "
                 "or name the folder with --build")


def require_papers(o):
    names = ["serial", "bough", "tbb_invoke", "tbb_auto", "starts_bough", "starts_tbb", "cache_bough", "cache_tbb", "retrieval"]
    missing = [name for name in names if not (o.build / f"bin/bench_{name}").is_file()]
    if missing:
        stop(f"no {o.build / 'bin'}/bench_{missing[0]}: build the benchmarks first ({', '.join(missing)} missing), or name "
             "the folder with --build")


def choose_runtimes(o):
    """The runtimes, and those that are paired for the start latency: (bough, its peer)."""
    o.named = bool(o.runtimes)
    if o.drop_in:
        peers = o.runtimes or TBB
        if not set(peers) <= set(TBB):
            stop(f"--drop-in: --runtimes may name {','.join(TBB)} only")
        o.runtimes = ["serial"] + [name for peer in peers for name in (peer, peer + ON_BOUGH)]
        o.pairs = [(peer + ON_BOUGH, peer) for peer in peers if peer not in FORKS]
        return
    if not o.runtimes:
        o.runtimes = [r for r in RUNTIMES if not o.crowded or r in ("serial", "bough", "bough_group") or r in TBB]
    looping = [r for r in o.runtimes if r in PEERS and r not in FORKS or r == "bough_classic"]
    o.pairs = [("bough", r) for r in looping] if "bough" in o.runtimes else []


def binary(o, runtime):
    return o.build / "bin" / f"bench_{variants.program(runtime.removesuffix(ON_BOUGH))}"


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line]
    return lines[-1] if lines else "no message"


def stop(message, code=2):
    sys.stdout.flush()
    print(f"{NAME}: {message}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    check_options()
