"""What --papers measures notices wrong answers too, and its verdicts follow from the numbers. Called by selfcheck.py."""

import pathlib
import sys

from runner.papers.part import verdict

HERE = pathlib.Path(__file__).resolve().parent
CASES = ["fib", "nqueens", "cilksort", "matmul_recursive", "strassen", "elements", "morsels"]


def check_all(build, folder, check, run, ended):
    check_planted_errors(build, check, run, ended)
    check_exit_code(build, folder, check, run)
    check_verdicts(check)
    for words, text in ((["--drop-in"], "neither --drop-in nor"), (["--runtimes", "serial"], "neither --drop-in nor"),
                        (["--only", "nonsense"], "no part matches"), (["--only", "^starts/nothing[0-9]"], "no part matches"),
                        (["--build", "/nowhere"], "build the benchmarks first")):
        done = run([HERE / "run.py", "--build", build, "--profile", "default", "--papers", *words,
                    "--out", folder / "none"])
        check("run.py --papers " + " ".join(words), ended(done, 2, text), done.stderr)


def check_planted_errors(build, check, run, ended):
    for shape in ("loop", "tree"):
        done = run([build / "bin/bench_starts_broken", shape, "3"], BENCH_THREADS="2")
        check(f"starts: a {shape} that forgets a body", ended(done, 1, "did not run exactly once"), done.stderr)
    for case in CASES:
        done = run([build / "bin/bench_cache_broken", "small", case, "1"], BENCH_THREADS="2")
        check(f"cache: {case} gone wrong", ended(done, 1, "wrong result"), done.stderr)
    done = run([build / "bin/bench_retrieval", "1", "1", "broken"])
    check("retrieval: a mailbox that loses a task", ended(done, 1, "a task was lost"), done.stderr)
    for program, words in (("starts_bough", ["ring", "1"]), ("cache_bough", ["small", "none", "1"]), ("retrieval", ["0", "1"])):
        done = run([build / f"bin/bench_{program}", *words], BENCH_THREADS="2")
        check(f"bench_{program} {' '.join(words)}", ended(done, 2, "usage: "), done.stderr)


def check_exit_code(build, folder, check, run):
    """One of the binaries is the broken one: the report tells, and the exit code is 1."""
    (folder / "planted/bin").mkdir(parents=True)
    for binary in (build / "bin").glob("b*"):
        target = build / "bin/bench_broken" if binary.name == "bench_tbb_invoke" else binary
        (folder / "planted/bin" / binary.name).symlink_to(target)
    done = run([HERE / "run.py", "--build", folder / "planted", "--papers", "--only", "^total_time/pi/", "--rounds", "2",
                "--profile", "default",
                "--out", folder / "papers"])
    report = (folder / "papers/report.md").read_text() if (folder / "papers/report.md").exists() else ""
    check("run.py --papers with a wrong answer", done.returncode == 1 and "wrong result" in report and "## Went wrong" in report,
          done.stderr + report)
    check("its report names the profile", "\nProfile: default, built in. " in report, report)


def check_verdicts(check):
    def of(low, ratio, high, n=6):
        return {"ratio": ratio, "low": low, "high": high, "n": n}

    for c, judged, text in ((of(0.8, 0.9, 0.95), True, "holds"), (of(0.8, 0.9, 1.1), True, "holds within the interval"),
                            (of(0.9, 1.1, 1.2), True, "does not hold, but within the interval"),
                            (of(1.1, 1.2, 1.3), True, "does not hold"), (of(0.8, 0.9, 0.95, 5), True, "too few rounds"),
                            (of(0.8, 0.9, 0.95), False, "shown only: more threads than CPUs"), (None, True, "not measured")):
        check(f"verdict: {text}", verdict(c, 1.0, judged) == text, verdict(c, 1.0, judged))


if __name__ == "__main__":
    sys.exit("run selfcheck.py")
