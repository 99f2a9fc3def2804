#!/usr/bin/env python3
"""What ./dev test --only REGEX runs, in a configured tree, and what has to be built for it.

usage: only.py BUILD REGEX

Prints three lines: the targets to build (file names of ninja's; none: empty), the tests as a regular expression for ctest
-R, and a filter for GTEST_FILTER (empty: every case). REGEX is looked for in the names of tests; if none matches, in those
of GoogleTest cases (suite.case). Exit status 2, with one line: it matches nothing.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASE = re.compile(r"\b(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)")
# Whose cases are compiled once, for the executable that is named and for others.
COMPILED_FOR = {"bough_api_tests": "bough_unit_tests", "bough_stress_objects": "bough_stress_tests"}
# What scripts take from the build tree, which they are given as a whole.
LIBRARIES = ("bough", "bough_static", "bough_tbb", "bough-run")


def ctest(build, *arguments):
    done = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *arguments], capture_output=True,
                          text=True, check=True)
    tests = json.loads(done.stdout[done.stdout.index("{"):])["tests"]
    for test in tests:
        if "command" not in test:  # ctest does not show that of an executable that is not built yet
            test["command"] = written_command(build, test["name"])
    return tests


def written_command(build, name):
    for file in build.rglob("CTestTestfile.cmake"):
        for line in file.read_text().splitlines():
            if line.startswith(f"add_test([=[{name}]=] "):
                return re.findall(r'"([^"]*)"', line)
    return []


def mentioned(test, build):
    """The places in the build tree that a test's command and its environment name, relative to it."""
    words = list(test["command"])
    for prop in test["properties"]:
        if prop["name"] == "ENVIRONMENT":
            words += [word.partition("=")[2] for word in prop["value"]]
    for word in words:
        if word.startswith("/") and pathlib.PurePath(word).is_relative_to(build):
            yield os.path.relpath(word, build)


def targets_of(tests, build):
    done = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True)
    known = {line.rpartition(": ")[0] for line in done.stdout.splitlines()}
    result = set()
    for test in tests:
        for place in mentioned(test, build):
            result.update(known.intersection(LIBRARIES) if place == "." else known.intersection([place]))
    return result


def cases_of_targets(build, regex):
    """{target: [suite.case, ...]} of those that match."""
    result = {}
    for unit in json.loads((build / "compile_commands.json").read_text()):
        target = re.search(r" -o \S*CMakeFiles/([^/]+)\.dir/", unit["command"])
        file = pathlib.Path(unit["file"])
        if target and file.is_relative_to(ROOT) and not file.is_relative_to(ROOT / "src"):
            names = (".".join(found) for found in CASE.findall(file.read_text(encoding="utf-8")))
            matching = [name for name in names if re.search(regex, name)]
            if matching:
                name = target.group(1)
                result.setdefault(COMPILED_FOR.get(name, name), []).extend(matching)
    return result


def filter_of(names):
    patterns = []
    for name in sorted(set(names)):
        suite, _, case = name.partition(".")
        patterns += [name, f"*/{suite}.{case}/*", f"{suite}/*.{case}"]  # the latter: TEST_P, TYPED_TEST
    return ":".join(patterns)


def main():
    build, regex = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    tests, filtered = ctest(build, "-R", regex), ""
    if not tests:
        cases = cases_of_targets(build, regex)
        tests = [test for test in ctest(build)
                 if any(os.path.basename(place) in cases for place in mentioned(test, build))]
        # An entry that has a filter of its own takes no other.
        tests = [test for test in tests
                 if not any(word.startswith("--gtest_filter") for word in test["command"])] or tests
        filtered = filter_of(name for names in cases.values() for name in names)
    if not tests:
        print(f"dev: --only '{regex}': no test and no case of one has such a name", file=sys.stderr)
        return 2
    print(*sorted(targets_of(tests, build)))
    print("^(" + "|".join(re.escape(test["name"]).replace("\\-", "-") for test in tests) + ")$")
    print(filtered)
    return 0


if __name__ == "__main__":
    sys.exit(main())
