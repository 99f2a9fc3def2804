#!/usr/bin/python3
"""Checks the benchmarks themselves: wrong results are noticed, bad input ends with a clear message."""

import argparse
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile

import selfcheck_papers
import selfcheck_profile
from runner import options

HERE = pathlib.Path(__file__).resolve().parent
GENERAL = b"%%MatrixMarket matrix coordinate real general\n"
SYMMETRIC = b"%%MatrixMarket matrix coordinate integer symmetric\n"
SKEW = b"%%MatrixMarket matrix coordinate real skew-symmetric\n"

# name: (content, part of the message, which begins with file:line)
BAD = {
    "empty.mtx": (b"", ":0: the file is empty"),
    "text.mtx": (b"hello\n", ":1: a Matrix Market file begins with"),
    "array.mtx": (b"%%MatrixMarket matrix array real general\n2 2\n", ":1: format 'array' is not supported"),
    "complex.mtx": (b"%%MatrixMarket matrix coordinate complex general\n", ":1: field 'complex' is not supported"),
    "hermitian.mtx": (b"%%MatrixMarket matrix coordinate real hermitian\n", ":1: symmetry 'hermitian'"),
    "no-size.mtx": (GENERAL + b"% only a comment\n", ":2: the file ends before"),
    "bad-size.mtx": (GENERAL + b"% c\n2 two 1\n", ":3: expected three whole numbers"),
    "negative.mtx": (GENERAL + b"2 2 -1\n", ":2: expected three whole numbers"),
    "zero-rows.mtx": (GENERAL + b"0 2 1\n", ":2: rows and columns must be from 1"),
    "huge-rows.mtx": (GENERAL + b"99999999999 2 1\n1 1 1\n", ":2: rows and columns must be from 1"),
    "many-rows.mtx": (GENERAL + b"2147483647 9 1\n1 1 1\n", ":2: rows and columns must be from 1"),
    "huge-count.mtx": (GENERAL + b"2 2 999999999999999999\n1 1 1\n", ":3: the file ends after 1 of 99999"),
    "overflow.mtx": (GENERAL + b"2 2 99999999999999999999999\n", ":2: expected three whole numbers"),
    "too-few.mtx": (GENERAL + b"2 2 3\n1 1 1\n2 2 1\n", ":4: the file ends after 2 of 3 entries"),
    "too-many.mtx": (GENERAL + b"2 2 1\n1 1 1\n2 2 1\n", ":4: more entries than the 1"),
    "outside.mtx": (GENERAL + b"2 2 1\n\n% c\n3 1 1\n", ":5: entry '3 1 1' lies outside of 2 x 2"),
    "index-zero.mtx": (GENERAL + b"2 2 1\n0 1 1\n", ":3: entry '0 1 1' lies outside"),
    "no-value.mtx": (GENERAL + b"2 2 1\n1 1\n", ":3: expected row, column, value"),
    "extra-word.mtx": (GENERAL + b"2 2 1\n1 1 1 1\n", ":3: expected row, column, value"),
    "not-finite.mtx": (GENERAL + b"2 2 1\n1 1 nan\n", ":3: value of entry '1 1 nan' is not finite"),
    "not-square.mtx": (SYMMETRIC + b"2 3 1\n1 1 1\n", ":2: a symmetric matrix must be square"),
    "skew-diagonal.mtx": (SKEW + b"2 2 1\n1 1 1\n", ":3: a skew-symmetric matrix has no diagonal"),
    "long-line.mtx": (GENERAL + b"x" * 100000, ":2: a line of over"),
    "cut.mtx.gz": (gzip.compress(GENERAL + b"9 9 9\n" + os.urandom(9000).hex().encode())[:4000], ":"),
    "damaged.mtx.gz": (gzip.compress(GENERAL + b"2 2 1\n1 1 1\n")[:-8] + b"12345678", ":1: cannot be read"),
}

GOOD = {
    "general.mtx": GENERAL + b"% c\n3 2 2\n1 1 1.5\n3 2 -2e3\n",
    "windows.mtx": (GENERAL + b"2 2 1\n+1 1 +1\n\n").replace(b"\n", b"\r\n"),
    "symmetric.mtx": SYMMETRIC + b"2 2 2\n1 1 1\n2 1 5\n",
    "skew.mtx": SKEW + b"2 2 1\n2 1 5\n",
    "pattern.mtx.gz": gzip.compress(b"%%matrixmarket MATRIX coordinate Pattern general\n2 2 1\n1 2\n"),
    "no-entries.mtx": GENERAL + b"4 4 0\n",
    "no-newline.mtx": GENERAL + b"1 1 1\n1 1 1",
}

MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
if MEMORY < 24 << 30:
    BAD["too-large.mtx"] = (GENERAL + b"268435456 268435456 1\n1 1 1\n", ":2: the matrix needs over")

failures = []


def check(name, passed, shown=""):
    print(("ok   " if passed else "FAIL ") + name + ("" if passed else f": {shown.strip()[-300:]}"))
    if not passed:
        failures.append(name)


def run(command, **environment):
    return subprocess.run([str(word) for word in command], env=dict(os.environ, **environment), capture_output=True,
                          text=True, timeout=300)


def ended(done, code, text):
    """With that code, and one line on stderr besides Google Benchmark's own that holds the text."""
    return done.returncode == code and sum(text in line for line in done.stderr.splitlines()) == 1


def check_planted_error(build):
    binary = build / "bin/bench_broken"
    everything = ["--break-even", "--text", HERE.parent / "LICENSE"]
    listed = run([binary, *everything, "--benchmark_list_tests"], BENCH_THREADS="2").stdout.split()
    problems = {name.split("/")[0] for name in listed}
    check("it has loops and forks", {"tiny", "competing", "break_even", "first_call", "fib", "word_count", "knapsack",
                                         "matmul_recursive", "strassen", "pi"} <= problems,
          " ".join(problems))
    # The loop that waits for all would wait for ever: every other case runs.
    done = run([binary, *everything, "--benchmark_filter=-^all_start/", "--benchmark_min_time=0.001"], BENCH_THREADS="2")
    wrong = {line.split()[0] for line in (done.stdout + done.stderr).splitlines() if "wrong result" in line}
    missed = [name for name in listed if not name.startswith("all_start") and name not in wrong]
    check(f"a runtime that forgets an index fails in all {len(wrong)} cases", not missed and wrong, " ".join(missed))
    check("and the binary ends with exit code 1", done.returncode == 1, str(done.returncode))
    done = run([binary, "--benchmark_filter=^all_start/", "--benchmark_min_time=0.001"], BENCH_THREADS="1")
    check("all_start notices an index that did not run", done.returncode == 1 and "exactly once" in
          done.stdout + done.stderr, done.stdout + done.stderr)


def check_matrices(build, folder):
    binary = build / "bin/bench_serial"
    for name, (content, message) in BAD.items():
        (folder / name).write_bytes(content)
        done = run([binary, "--matrix", folder / name, "--benchmark_filter=^spmv/" + name.split(".")[0]])
        check(f"matrix {name}", ended(done, 2, f"{folder / name}{message}"), done.stderr)
    for name, content in GOOD.items():
        (folder / name).write_bytes(content)
        done = run([binary, "--matrix", folder / name, "--benchmark_filter=^spmv/" + name.split(".")[0],
                    "--benchmark_min_time=0.001"])
        check(f"matrix {name}", done.returncode == 0 and f"spmv/{name.split('.')[0]}/" in done.stdout, done.stderr)
    for name, path in (("missing", folder / "none.mtx"), ("folder", folder)):
        done = run([binary, "--matrix", path])
        check(f"matrix {name}", ended(done, 2, str(path)), done.stderr)


def check_texts(build, folder):
    binary = build / "bin/bench_serial"
    (folder / "digits.txt").write_text("1234\n")
    (folder / "words.txt").write_text("To be, or not to be")
    (folder / "nothing").mkdir()
    for name, message in (("none.txt", "cannot be read"), ("digits.txt", "no words in it"), ("nothing", "no words in it")):
        done = run([binary, "--text", folder / name])
        check(f"text {name}", ended(done, 2, f"{folder / name}: {message}"), done.stderr)
    done = run([binary, "--text", folder / "words.txt", "--benchmark_filter=^word_count/words/", "--benchmark_min_time=0.001"])
    check("text words.txt", done.returncode == 0 and "word_count/words/" in done.stdout, done.stderr)


def check_offered(build):
    for runtime, has, lacks in (("tbb_auto", "tiny", "fib"), ("tbb_group", "fib", "tiny"), ("bough", "fib", "ping")):
        listed = run([build / f"bin/bench_{runtime}", "--benchmark_list_tests"], BENCH_THREADS="2").stdout
        check(f"{runtime} has {has} and no {lacks}", f"{has}/" in listed and f"{lacks}/" not in listed, listed)
    there = run([build / "bin/bench_serial", "--full", "--benchmark_list_tests"], BENCH_THREADS="2").stdout.split()
    missing = [name for name in there if not name.startswith(("spmv/", "word_count/", *options.CASES))]
    check("options.CASES has all cases", there and not missing, str(missing))


def check_options(build):
    for threads in ("0", "1000000", "two", "-1", ""):
        done = run([build / "bin/bench_serial", "--benchmark_list_tests"], BENCH_THREADS=threads)
        check(f"BENCH_THREADS={threads!r}", ended(done, 2, "must be from 1 to 1024"), done.stderr)
    done = run([build / "bin/bench_serial", "--fast"])
    check("a binary's unknown option", done.returncode == 2 and "--fast" in done.stderr, done.stderr)
    runner = [HERE / "run.py", "--build", build]
    for words, text in ((["--threads", "0"], "from 1 to 1024"), (["--threads", "1000000"], "from 1 to 1024"),
                        (["--fast"], "unknown option '--fast'; allowed: --help, --quick"), (["--rounds", "1"], "from 2 to 1000"),
                        (["--processes", "1"], "from 2 to 1000"), (["--text", "/nowhere"], "/nowhere: cannot be read"),
                        (["--runtimes", "cilk"], "allowed: serial,bough"), (["--only", "("], "not a regular expression"),
                        (["--only", "nonsense"], "no case matches; there are tiny, "),
                        (["--only", "^tiny/nothing[0-9]"], "no case matches"),
                        (["--drop-in", "--runtimes", "serial"], "may name tbb_auto,"),
                        (["--profile", "nosuchfile"], "No such file or directory; allowed is 'default', or"),
                        (["--profile", HERE / "run.py"], "is no profile of bough; allowed is 'default', or"),
                        (["--build", "/nowhere"], "build the benchmarks first"),
                        (["--matrix", "none.mtx", "--runtimes", "serial"], "none.mtx: cannot be read")):
        done = run(runner + words)
        check("run.py " + " ".join(map(str, words)), ended(done, 2, text), done.stderr)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--build", default=HERE.parent / "build/bench", type=pathlib.Path)
    build = p.parse_args().build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        check_matrices(build, pathlib.Path(folder))
        check_texts(build, pathlib.Path(folder))
        selfcheck_papers.check_all(build, pathlib.Path(folder), check, run, ended)
        selfcheck_profile.check_all(build, pathlib.Path(folder), check, run, ended)
    done = run([HERE / "selfcheck_stats.py"])
    check("intervals and what follows from them", done.returncode == 0, done.stdout + done.stderr)
    check_offered(build)
    check_planted_error(build)
    check_options(build)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
