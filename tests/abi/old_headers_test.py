#!/usr/bin/env python3
"""Binaries built with a oneTBB, its headers and its library, run on our libtbb.so.12.

--headers debian: Debian's 2021.8.0 packages, downloaded and unpacked into the build tree, never installed. Exit status 77
when that cannot be had. --headers pinned: those that we build with. binary.cpp must print on our library what it prints
on the one that it was built with, and each run must map that library and no other. For debian also: the layout checks
compile against those headers, and layout_test.cpp built with them passes on our library."""
import argparse
import glob
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
PACKAGES = ("libtbb-dev", "libtbb12", "libtbbmalloc2")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def unpack(folder):
    """Puts the packages' files below `folder`, once."""
    unpacked = folder / "root"
    if unpacked.exists():
        return unpacked
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        try:
            subprocess.run(["apt-get", "download", *(f"{p}=2021.8*" for p in PACKAGES)], cwd=work, check=True,
                           capture_output=True, text=True, timeout=60)
        except FileNotFoundError:
            skip("no apt-get here")
        except subprocess.TimeoutExpired:
            skip("apt-get download took more than a minute")
        except subprocess.CalledProcessError as error:
            skip("apt-get download: " + (error.stderr.strip().splitlines() or ["no reason given"])[-1])
        for package in glob.glob(f"{work}/*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, f"{work}/root"], check=True)
        os.rename(f"{work}/root", unpacked)
    return unpacked


def run(*command, status=0, timeout=120, **changes):
    environment = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "LD_PRELOAD", "CPATH")}
    environment.update(changes)
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=timeout, env=environment,
                          check=False)
    if done.returncode != status:
        shown = " ".join(str(c) for c in command)
        sys.exit(f"{shown}: status {done.returncode}\n{(done.stdout + done.stderr)[-4000:]}")
    return done


def check_layout(cxx, include, library, folder):
    run(cxx, "-std=c++20", "-fsyntax-only", "-D__TBB_BUILD=1", f"-I{SOURCE}/include", "-isystem", include,
        SOURCE / "compat/abi/layout_checks.cpp")
    print("the layout checks hold of these headers")
    program = folder / "layout_test"
    run(cxx, "-std=c++17", "-isystem", include, HERE / "layout_test.cpp", "-o", program, library, "-lgtest",
        "-lgtest_main", "-pthread", f"-Wl,-rpath-link,{library.parent.parent.parent}/lib")
    print(run(program, LD_LIBRARY_PATH=str(library.parent)).stdout.strip().splitlines()[-1])


def check_binary(cxx, include, own_library, library, folder):
    program = folder / "binary"
    run(cxx, "-std=c++17", "-O1", "-isystem", include, HERE / "binary.cpp", "-o", program, own_library, "-pthread")
    expected = None
    for which, environment in ((own_library, {}), (library, {"BOUGH_NUM_THREADS": "1"}),
                               (library, {"BOUGH_NUM_THREADS": "2"}), (library, {"BOUGH_NUM_THREADS": "8"})):
        done = run(program, LD_LIBRARY_PATH=str(which.parent), **environment)
        mapped = f"mapped {which.resolve()}\n"
        if done.stderr != mapped:
            sys.exit(f"on stderr:\n{done.stderr}instead of:\n{mapped}")
        if expected is None:
            expected = done.stdout
            print(f"on the library that it was built with:\n{expected}")
        elif done.stdout != expected:
            sys.exit(f"on {which.resolve()} with {environment}:\n{done.stdout}")
    if expected.count("\n") < 16:
        sys.exit("that is not all that binary.cpp prints")
    print(f"the same on {library.resolve()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--onetbb", required=True, type=Path)
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--headers", required=True, choices=("debian", "pinned"))
    arguments = parser.parse_args()
    library = arguments.build.resolve() / "compat/lib/libtbb.so.12"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.headers == "pinned":
            root = arguments.onetbb.resolve()
            return check_binary(arguments.cxx, root / "include", root / "lib/libtbb.so.12", library, folder)
        usr = unpack(arguments.build.resolve() / "debian-2021.8") / "usr"
        libraries = list(usr.glob("lib/*/libtbb.so.12"))
        if len(libraries) != 1:
            sys.exit(f"the packages hold {len(libraries)} libtbb.so.12")
        check_layout(arguments.cxx, usr / "include", library, folder)
        return check_binary(arguments.cxx, usr / "include", libraries[0], library, folder)


if __name__ == "__main__":
    sys.exit(main())
