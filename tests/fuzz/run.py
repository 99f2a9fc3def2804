#!/usr/bin/env python3
"""Runs the fuzzers one after the other, each on its corpus and then for a while on inputs of its own.

usage: run.py [--seconds N] [--only TARGET] [--minimise] BIN WORK

BIN is the folder of the fuzzers, WORK keeps what they find: crashes in WORK/found, new inputs in WORK/corpus. With
--minimise the smallest set of inputs that reaches as much becomes tests/fuzz/corpus, hand-made ones first.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = sorted(f.stem for f in HERE.glob("*.dict"))
# The leak check wants ptrace, which not every container allows; the address sanitizer's build of the tests has it, on the
# corpus.
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1",
                   UBSAN_OPTIONS="print_stacktrace=1")


def number_of_seconds(text):
    value = int(text)
    if not 1 <= value <= 1_000_000:
        raise ValueError
    return value


def read_options():
    parser = argparse.ArgumentParser(prog="dev fuzz", usage="./dev fuzz [--seconds N] [--only TARGET] [--minimise]")
    parser.add_argument("--seconds", type=number_of_seconds, default=20, help="for each target; 1 to 1000000 [20]")
    parser.add_argument("--only", choices=TARGETS, help="one target")
    parser.add_argument("--minimise", action="store_true", help="take new inputs into tests/fuzz/corpus")
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    return parser.parse_args()


def tell(input_file):
    text = input_file.read_bytes()
    print(f"  input {input_file} ({len(text)} bytes): {text[:600]!r}{' ...' if len(text) > 600 else ''}", flush=True)


def run(program, *arguments):
    """Says whether it ended well, and what it wrote."""
    done = subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          errors="replace", env=ENVIRONMENT, check=False)
    return done.returncode == 0, done.stdout


def fuzz(target, options):
    """True if nothing was found."""
    program = options.bin / f"fuzz_{target}"
    corpus, found, new = HERE / "corpus" / target, options.work / "found", options.work / "corpus" / target
    for folder in (found, new):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    common = [f"-artifact_prefix={found}/{target}-", "-timeout=25", "-rss_limit_mb=2048"]
    passes, said = run(program, *common, "-runs=0", corpus)
    if passes:
        passes, said = run(program, *common, f"-dict={HERE}/{target}.dict", f"-max_total_time={options.seconds}",
                           "-print_final_stats=1", new, corpus)
    if not passes:
        print(f"{target}: FAILED\n{said[-6000:]}")
        for input_file in sorted(set(found.iterdir()) - before):
            tell(input_file)
        print(f"  again: {program} INPUT", flush=True)
        return False
    figures = dict(line.removeprefix("stat::").split(":") for line in said.splitlines() if line.startswith("stat::"))
    print(f"{target}: {len(list(corpus.iterdir()))} inputs of the corpus, "
          f"{figures.get('number_of_executed_units', '?').strip()} runs, nothing found", flush=True)
    return True


def minimise(target, options):
    """Hand-made inputs stay, whatever they reach: they have names. Of the others those that reach something new."""
    corpus, new = HERE / "corpus" / target, options.work / "corpus" / target
    for input_file in corpus.glob("found-*"):
        shutil.move(input_file, new / input_file.name)
    # By what code they reach, not by how often as well: that would keep hundreds.
    passes, said = run(options.bin / f"fuzz_{target}", "-merge=1", "-use_counters=0", corpus, new)
    if not passes:
        sys.exit(f"{target}: merging failed\n{said[-2000:]}")
    for input_file in corpus.iterdir():
        if len(input_file.name) == 40 and "_" not in input_file.name:  # the fuzzer's names: a sum of the content
            input_file.rename(corpus / f"found-{input_file.name[:10]}")
    print(f"{target}: {len(list(corpus.iterdir()))} inputs in {corpus}")


def main():
    options = read_options()
    targets = [options.only] if options.only else TARGETS
    failed = [target for target in targets if not fuzz(target, options)]
    if options.minimise and not failed:
        for target in targets:
            minimise(target, options)
    return f"fuzz: failed: {', '.join(failed)}" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
