"""What the drop-in tests share: where things lie, running commands, reading what the test programs print."""

import argparse
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = {"sum": ["333328333350000"], "sorted": ["1"], "fibonacci": ["610"], "throws": ["1"]}
VARIABLES_THAT_LEAD_ASTRAY = ("LD_PRELOAD", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH", "TBBROOT",
                              "TBB_ROOT", "TBB_DIR", "BOUGH_WARN_TWINS", "CPATH", "LIBRARY_PATH")


class options:
    """Filled by main()."""
    build: pathlib.Path
    onetbb: pathlib.Path
    cxx: str


def environment(**changes):
    result = {k: v for k, v in os.environ.items() if k not in VARIABLES_THAT_LEAD_ASTRAY}
    result.update({k: str(v) for k, v in changes.items()})
    return result


def run(*command, status=0, cwd=None, timeout=120, **changes):
    """The finished command; an exit status other than `status` (None: any) is an error that shows its output."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=cwd, timeout=timeout,
                          env=environment(**changes), check=False)
    if status is not None and done.returncode != status:
        shown = " ".join(str(c) for c in command)
        raise AssertionError(f"{shown}: status {done.returncode}, not {status}\n{(done.stdout + done.stderr)[-3000:]}")
    return done


def compile_cxx(output, *arguments, std="c++17"):
    run(options.cxx, f"-std={std}", "-O1", "-o", output, *arguments)
    return output


def facts(text):
    """Lines `key value` as {key: [value, ...]}."""
    result = {}
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        result.setdefault(key, []).append(value)
    return result


def library(name="libtbb.so.12"):
    return (options.build / "compat/lib" / name).resolve()


def launcher():
    return options.build / "bin/bough-run"


class Case(unittest.TestCase):
    """A test with a folder of its own, gone afterwards."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bough-dropin-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def assert_runs_on(self, done, libtbb, computed=True):
        """The program's output: right results, and no libtbb but this one."""
        said = facts(done.stdout)
        if computed:
            self.assertEqual({k: said.get(k) for k in EXPECTED}, EXPECTED)
        mapped = [m for m in said.get("mapped", []) if "/libtbb.so" in m or "/libtbb_debug" in m]
        self.assertEqual(mapped, [str(libtbb)])
        self.assertEqual(said["runtime"], ["2023.2.0 12200"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build tree of bough")
    parser.add_argument("--onetbb", type=pathlib.Path, required=True, help="include/ and lib/ of a real oneTBB")
    parser.add_argument("--cxx", default="c++")
    known, rest = parser.parse_known_args()
    options.build = known.build.resolve()
    options.onetbb = known.onetbb.resolve()
    options.cxx = known.cxx
    unittest.main(argv=["dropin", *rest], verbosity=2)
