#!/usr/bin/env python3
"""Compiles oneTBB's public headers in many orders with the overrides among them; any warning is a failure.

Every translation unit ends with calls that are ambiguous unless tbb::parallel_for and its siblings are bough's.
With LONG=1: every header alone, every rotation of all headers, and every header before and after each override.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

OVERRIDES = {
    "parallel_for.h": ("parallel_for", "0, 1, [](int) {}"),
    "parallel_reduce.h": ("parallel_reduce", "tbb::blocked_range<int>(0, 1), 0, "
                          "[](const tbb::blocked_range<int>& r, int v) { return v + r.begin(); }, "
                          "[](int a, int b) { return a + b; }"),
    "parallel_invoke.h": ("parallel_invoke", "[] {}, [] {}"),
    "parallel_for_each.h": ("parallel_for_each", "static_cast<int*>(nullptr), static_cast<int*>(nullptr), [](int) {}"),
    "parallel_scan.h": ("parallel_scan", "tbb::blocked_range<int>(0, 1), 0, "
                        "[](const tbb::blocked_range<int>& r, int v, bool) { return v + r.begin(); }, "
                        "[](int a, int b) { return a + b; }"),
    "parallel_sort.h": ("parallel_sort", "static_cast<int*>(nullptr), static_cast<int*>(nullptr)"),
}
PREVIEWS = ["CONCURRENT_LRU_CACHE", "MEMORY_POOL", "NUMA_ALLOCATION", "BLOCKED_RANGE_ND"]  # headers that want to be asked for
ORDERS = 2  # rotations of all headers in the short run


def proof(header):
    name, arguments = OVERRIDES[header]
    return (f"namespace both_{name} {{ using tbb::{name}; using bough::compat::{name}; }}\n"
            f"void use_{name}() {{ both_{name}::{name}({arguments}); }}\n")


def unit(headers):
    lines = [f"#include <oneapi/tbb/{h}>\n" for h in headers]
    return "".join(lines + [proof(h) for h in OVERRIDES if h in headers])


def orders(headers, everything):
    """Yields lists of headers, each one translation unit."""
    for header in headers if everything else OVERRIDES:
        yield [header]
    stride = 1 if everything else max(1, len(headers) // ORDERS)
    for start in range(0, len(headers), stride):
        rotation = headers[start:] + headers[:start]
        yield rotation
        yield rotation[::-1]
    if everything:
        for override in OVERRIDES:
            for header in headers:
                if header != override:
                    yield [override, header]
                    yield [header, override]


def check(options, headers):
    command = [options.compiler, f"-std=c++{options.std}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
               "-I", options.tree, "-I", options.include, "-x", "c++", "-"]
    command += [f"-DTBB_PREVIEW_{p}=1" for p in PREVIEWS]
    result = subprocess.run(command, input=unit(headers), text=True, capture_output=True)
    return headers, result.returncode == 0, result.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--std", required=True)
    parser.add_argument("--tree", required=True, help="the compat include tree")
    parser.add_argument("--include", required=True, help="bough's own headers")
    options = parser.parse_args()
    headers = sorted(p.name for p in pathlib.Path(options.tree, "oneapi/tbb").glob("*.h")
                     if not p.name.startswith("bough_onetbb_"))
    missing = [h for h in OVERRIDES if h not in headers]
    if missing:
        sys.exit(f"{options.tree}: no {', '.join(missing)}")
    units = list(orders(headers, os.environ.get("LONG") == "1"))
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for included, ok, output in pool.map(lambda u: check(options, u), units):
            if not ok:
                failures += 1
                print(f"FAILED: {' '.join(included)}\n{output[:1000]}")
    print(f"{options.compiler} C++{options.std}: {len(units)} units, {failures} failed")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
