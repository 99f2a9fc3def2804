#!/usr/bin/env python3
"""Our libtbb.so.12 exports exactly oneTBB's names, and the tests of this folder reach each of them.

Reached means: the loader (LD_DEBUG=bindings) bound the name between the test program and our library. Functions count
only if the program calls them through a lazily bound slot, which is filled at the first call; a vtable or type
information counts when both sides share one definition. Prints the names that nothing reaches."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    return {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--defined-only", str(library)).splitlines()}


def readable(names):
    return subprocess.run(["c++filt"], input="\n".join(sorted(names)), capture_output=True, text=True,
                          check=True).stdout.splitlines()


def lazy_slots(program):
    return set(re.findall(r"JUMP_SLO?T?\s+\S+\s+(\w+)", output("readelf", "-rW", str(program))))


def bindings(program):
    """(who asks, who defines, name), as the loader tells them while the program and its children run."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LD_DEBUG="bindings", LD_DEBUG_OUTPUT=f"{folder}/bindings")
        environment.pop("LD_BIND_NOW", None)
        run = subprocess.run([str(program), "--gtest_brief=1"], env=environment, capture_output=True, text=True,
                             timeout=240)
        if run.returncode != 0:
            sys.exit(f"{program} fails:\n{run.stdout}{run.stderr}")
        found = set()
        for log in Path(folder).iterdir():  # threads share lines
            found.update(re.findall(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: \w+ symbol `(\w+)'",
                                    log.read_text(errors="replace")))
        return found


def reached(program, library):
    slots = lazy_slots(program)
    sides = {program.name, library.name}
    names = set()
    for asks, defines, name in bindings(program):
        if {Path(asks).name, Path(defines).name} != sides:
            continue
        if name.startswith("_ZT") or (Path(defines).name == library.name and name in slots):
            names.add(name)
    return names


def report(title, names):
    for name in readable(names) if names else ():
        print(f"{title}: {name}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True, type=Path)
    parser.add_argument("--onetbb", required=True, type=Path)
    parser.add_argument("--program", required=True, type=Path)
    arguments = parser.parse_args()

    ours, theirs = exported(arguments.library), exported(arguments.onetbb)
    report("missing from our library", theirs - ours)
    report("exported, but not by oneTBB", ours - theirs)
    unreached = theirs - reached(arguments.program, arguments.library)
    report("not reached by any test", unreached)
    print(f"{len(theirs)} names of oneTBB's, {len(ours)} of ours, {len(theirs - unreached)} reached")
    # Fewer than 100: that was no oneTBB.
    return ours != theirs or bool(unreached) or len(theirs) < 100


if __name__ == "__main__":
    sys.exit(main())
