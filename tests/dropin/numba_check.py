"""numba with NUMBA_THREADING_LAYER=tbb under bough-run: which libtbb it maps, which layer it chose, what it computed.

Installs numba into <build>/numba-venv. Ends with 77 (skipped) and the reason where it cannot be installed.
"""

import argparse
import os
import pathlib
import subprocess
import sys

import support

SKIPPED = 77

# A reduction, a loop over rows with a nested one, and both again in a forked child.
PROGRAM = """
import os, sys
import numba, numpy as np
from numba.np.ufunc import tbbpool  # numba itself hides why this fails

@numba.njit(parallel=True)
def total(x):
    s = 0.0
    for i in numba.prange(x.size):
        s += x[i] * 2
    return s

@numba.njit(parallel=True)
def table(n):
    t = np.zeros((n, n), np.int64)
    for i in numba.prange(n):
        for j in numba.prange(n):
            t[i, j] = i * j
    return t

def compute():
    x = np.arange(1000000, dtype=np.float64)
    return total(x) == x.sum() * 2 and (table(200) == np.outer(np.arange(200), np.arange(200))).all()

print("computed", int(compute()))
print("layer", numba.threading_layer())
print("version", numba.__version__)
for line in sorted({l.split("/", 1)[1].strip() for l in open("/proc/self/maps") if "/libtbb.so" in l}):
    print("mapped", "/" + line)
sys.stdout.flush()
child = os.fork()
if child == 0:
    end = sys.exit if os.environ.get("CHILD_ENDS") == "whole" else os._exit
    end(0 if compute() else 1)
print("forked", int(os.waitpid(child, 0)[1] == 0 and compute()))
"""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def python_with_numba(folder):
    python = folder / "bin/python3"
    if python.exists():
        if subprocess.run([python, "-c", "import numba"], capture_output=True, check=False).returncode == 0:
            return python
    for command in ([sys.executable, "-m", "venv", folder], [python, "-m", "pip", "install", "-q", "numba"]):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=900, check=False)
        if done.returncode != 0:
            skip(f"{' '.join(str(c) for c in command)}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return python


def check(name, libtbb, *command, **variables):
    done = support.run(*command, "-c", PROGRAM, status=None, timeout=300, NUMBA_THREADING_LAYER="tbb", **variables)
    print(f"-- {name}\n{done.stdout}{done.stderr[-1500:]}", end="", flush=True)
    said = support.facts(done.stdout)
    expected = {"computed": ["1"], "layer": ["tbb"], "forked": ["1"], "mapped": [str(libtbb)]}
    wrong = {k: said.get(k) for k, v in expected.items() if said.get(k) != v}
    if done.returncode != 0:
        wrong["status"] = done.returncode
    for key, value in wrong.items():
        print(f"WRONG {key}: {value}, not {expected.get(key, 0)}")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build tree of bough")
    parser.add_argument("--onetbb", type=pathlib.Path, required=True, help="include/ and lib/ of a real oneTBB")
    parser.add_argument("--venv", type=pathlib.Path, help="where numba is, or is put")
    options = parser.parse_args()
    support.options.build = options.build.resolve()
    lib = options.onetbb.resolve() / "lib"
    python = python_with_numba(options.venv or support.options.build / "numba-venv")
    good = check("oneTBB", (lib / "libtbb.so.12").resolve(), python, LD_LIBRARY_PATH=lib)
    good = check("bough", support.library(), support.launcher(), python) and good
    good = check("bough, oneTBB in the search path", support.library(), support.launcher(), python,
                 LD_LIBRARY_PATH=lib) and good
    # With every handler of the interpreter and of numba, which oneTBB is not asked for.
    first_cpu = str(min(os.sched_getaffinity(0)))
    for name, before in (("bough, a child that exits", ()), ("bough, the same on one CPU", ("taskset", "-c", first_cpu))):
        good = check(name, support.library(), *before, support.launcher(), python, CHILD_ENDS="whole") and good
    sys.exit(not good)


if __name__ == "__main__":
    main()
