"""Runs a program until it ends, or hangs: what came of it."""

import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

LOOKS_EVERY_S = 0.5
TICKS_OF_ONE_ASLEEP = 5  # of CPU time: who looks around now and then has slept all the same
LINES_KEPT = 12


@dataclasses.dataclass
class Outcome:
    verdict: str  # ok, fail, hang
    seconds: float
    output: str

    def reasons(self):
        """The checks that failed, or the first lines that it printed."""
        lines = [line for line in re.sub(r"\x1b\[[0-9;]*m", "", self.output).splitlines() if line.strip()]
        checks = [line for line in lines if re.search(r"ERROR|, assertion |Assertion |terminate|what\(\)|bough:|ended by", line)]
        return (checks or lines)[:LINES_KEPT]


def cpu_ticks(session):
    """CPU time of all processes of a session."""
    ticks = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks


def run(command, environment, patience_s, asleep_s):
    """It hangs when it has not ended after patience_s, or when for asleep_s none of its threads has run."""
    with tempfile.TemporaryFile() as output:
        # A session of its own, so that what a test forks ends with it.
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        begin = time.monotonic()
        try:
            hangs = not ends(process, begin + patience_s, asleep_s)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        seconds = time.monotonic() - begin
        output.seek(0)
        said = output.read().decode(errors="replace")
    if hangs:
        return Outcome("hang", seconds, said)
    if process.returncode < 0:
        said += f"\nended by {signal.Signals(-process.returncode).name}\n"
    return Outcome("fail" if process.returncode else "ok", seconds, said)


def ends(process, latest_end, asleep_s):
    used, since = 0, time.monotonic()
    while True:
        try:
            process.wait(timeout=LOOKS_EVERY_S)
            return True
        except subprocess.TimeoutExpired:
            now, ticks = time.monotonic(), cpu_ticks(process.pid)
        if ticks - used > TICKS_OF_ONE_ASLEEP:
            used, since = ticks, now
        if now > latest_end or now - since > asleep_s:
            return False
