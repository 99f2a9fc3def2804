#!/usr/bin/env python3
"""Runs one test executable and says little: its closing line, what failed, and where it stands when it does not end.

usage: run_test.py SECONDS COMMAND...

Exit status: the command's; 124 when it had not ended after SECONDS and was killed.
"""
import collections
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading


def threads_of(pid):
    """What each thread of a process waits for, as far as the system tells."""
    for task in sorted(pathlib.Path(f"/proc/{pid}/task").glob("*")):
        told = []
        for name in ("comm", "wchan", "syscall"):
            try:
                told.append((task / name).read_text().strip())
            except OSError as e:
                told.append(f"({name}: {e.strerror})")
        yield f"thread {task.name}: " + ", ".join(told)


def say_where_it_stands(process, limit, running):
    print(f"no end after {limit:g} s, in {running or 'no test that it named'}", flush=True)
    for line in threads_of(process.pid):
        print(line)
    if shutil.which("gdb"):
        subprocess.run(["gdb", "-p", str(process.pid), "-batch", "-ex", "thread apply all bt 30"],
                       stderr=subprocess.DEVNULL, timeout=60, check=False)
    sys.stdout.flush()


def main():
    limit, command = float(sys.argv[1]), sys.argv[2:]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                               start_new_session=True)
    running, stuck, passed = "", False, []
    last = collections.deque(maxlen=60)  # since the last test that passed
    told = 0

    def stop():
        nonlocal stuck
        stuck = True
        try:
            say_where_it_stands(process, limit, running)
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # its children hold the pipe as well

    timer = threading.Timer(limit, stop)
    timer.start()
    for line in process.stdout:
        last.append(line)
        if line.startswith("[ RUN "):
            running = line.split("]")[1].strip()
        elif line.startswith("[       OK ]") or line.startswith("[  SKIPPED ] ") and "ms)" in line:
            last.clear()
        elif line.startswith("[  FAILED  ]") and "ms)" in line:
            told += 1
            if told <= 10:
                sys.stdout.writelines(last)
            last.clear()
        elif line.startswith("[  PASSED  ]"):
            passed.append(line)
    timer.cancel()
    code = process.wait()
    if stuck:
        code = 124
    if code != 0:
        sys.stdout.writelines(last)
        print(f"exit status {code}" + (f", in {running}" if code < 0 or stuck else ""))
    else:
        sys.stdout.writelines(passed or list(last)[-1:])
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
