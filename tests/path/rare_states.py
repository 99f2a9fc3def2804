#!/usr/bin/env python3
"""The files that a loop or a task passes through name no rare state: those have hooks (src/worker/rare.h).

    rare_states.py [FILE ...]    Exit status: 1 if one of them does. Comments may name what they like.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKER = ROOT / "src" / "worker"
ENTRY = ROOT / "src" / "entry"
HOT = [ENTRY / "fork_join.cpp", ENTRY / "loop.cpp",
       *(WORKER / name for name in ("decide.h", "found.h", "group_count.h", "hand_off.cpp", "hand_off.h", "idle.cpp",
                                    "find_work.cpp", "publish.h", "replay.cpp", "run.cpp", "tasks.cpp", "wait.h",
                                    "work_off.cpp", "work_off.h", "worker.h"))]
# Suspended stacks, process forks, refused threads, the watchdog.
RARE = re.compile(r"fiber|suspend|resum|\bforked|worker/process_fork\.h|is_forked|fork_child|start_failed|refus|without_workers|watchdog",
                  re.IGNORECASE)


def names_in(path):
    """Lines of code that name a rare state."""
    code = re.sub(r"//[^\n]*", "", path.read_text())
    return [f"{path.name}:{number}: {line.strip()}" for number, line in enumerate(code.splitlines(), 1)
            if RARE.search(line)]


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]] or HOT
    wrong = [name for path in files for name in names_in(path)]
    # A pattern that matches nothing would find nothing.
    if not names_in(WORKER / "rare.h"):
        sys.exit("rare_states.py: sees no rare state in rare.h, which has them all")
    if wrong:
        sys.exit("\n".join(["A rare state is named on the hot path; give it a hook in src/worker/rare.h:", *wrong]))
    print(f"{len(files)} files name none")


if __name__ == "__main__":
    main()
