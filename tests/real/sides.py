"""The libraries that take turns, running a program on one of them, and proof of which one the loader gave it."""

import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

LEAD_ASTRAY = ("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_DEBUG", "LD_DEBUG_OUTPUT", "BOUGH_NUM_THREADS", "TBB_NUM_THREADS",
               "BOUGH_PRINT", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER")
INITIALISED = re.compile(r"calling init: (\S*/lib(?:tbb(?:_debug)?|bough)[-.][^/\s]*)$", re.MULTILINE)


class Failure(Exception):
    """A program that ended badly, hung, answered wrongly, or ran on the wrong library."""


@dataclasses.dataclass(frozen=True)
class Side:
    name: str
    libtbb: pathlib.Path
    variables: dict
    launcher: tuple = ()
    needs_bough: bool = True


@dataclasses.dataclass(frozen=True)
class Finished:
    folder: pathlib.Path
    wall_s: float
    cpu_s: float

    def text(self, name):
        return (self.folder / name).read_text(errors="replace")


def sides(build, onetbb):
    """oneTBB and bough, found in the same way; and bough as bough-run puts it into an unchanged environment."""
    theirs, ours = onetbb / "lib", build / "compat/lib"
    library = (ours / "libtbb.so.12").resolve()
    return (Side("oneTBB", (theirs / "libtbb.so.12").resolve(), {"LD_LIBRARY_PATH": str(theirs)},
                 needs_bough=False),
            Side("bough", library, {"LD_LIBRARY_PATH": str(ours)}),
            Side("bough-run", library, {}, (str(build / "bin/bough-run"),)))


def environment(variables):
    kept = {k: v for k, v in os.environ.items() if k not in LEAD_ASTRAY}
    return {**kept, **variables}


def stacks(pid):
    """Where the threads of a hanging process stand, if gdb is installed and may look."""
    if not shutil.which("gdb"):
        return "no gdb"
    done = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 25"], capture_output=True,
                          text=True, timeout=120, check=False)
    return "\n".join(line for line in done.stdout.splitlines() if line.startswith(("Thread ", "#")))


def run(side, case, folder):
    """Runs the case in the fresh `folder`; its output lies there as `stdout` and `stderr`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source in case.inputs:
        (folder / source.name).symlink_to(source)
    hung = []
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        start = time.perf_counter()
        process = subprocess.Popen([*side.launcher, *map(str, case.argv)], stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err, cwd=folder, env=environment({**case.variables, **side.variables}),
                                   start_new_session=True)

        def give_up():
            try:
                hung.append(stacks(process.pid))
            except subprocess.SubprocessError as error:
                hung.append(f"gdb: {error}")
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(case.limit_s, give_up)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    finished = Finished(folder, wall, usage.ru_utime + usage.ru_stime)
    if hung:
        raise Failure(f"{side.name}: still running after {case.limit_s} s\n{hung[0]}")
    if process.returncode != 0:
        raise Failure(f"{side.name}: status {process.returncode}\n{finished.text('stderr')[-2000:]}")
    return finished


def prove(side, case, folder):
    """Runs the case while the loader keeps a diary: exactly this side's libtbb was initialised, and no other.

    libbough.so comes with bough's only: so a copy of oneTBB that lies in bough's place does not pass for it."""
    diary = folder.with_name(folder.name + ".loader")
    shutil.rmtree(diary, ignore_errors=True)
    diary.mkdir(parents=True)
    watched = {**side.variables, "LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(diary / "of")}
    finished = run(dataclasses.replace(side, variables=watched), case, folder)
    initialised = {pathlib.Path(path).resolve() for page in diary.iterdir()
              for path in INITIALISED.findall(page.read_text(errors="replace"))}
    loaded = {path for path in initialised if path.name.startswith("libtbb")}
    if loaded != {side.libtbb}:
        raise Failure(f"{side.name}: not {side.libtbb} was in use, but {sorted(map(str, loaded)) or 'no libtbb'}")
    if (loaded != initialised) != side.needs_bough:
        raise Failure(f"{side.name}: {side.libtbb} came {'without' if side.needs_bough else 'with'} libbough.so")
    return finished
