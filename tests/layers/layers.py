#!/usr/bin/env python3
"""A folder of src uses only what stands before it in src/README.md's table, by its includes and by the symbols that its
object files need. Calls by way of a public header are calls of the folder that defines what is called.

    layers.py --nm NM OBJECT ...    Exit status: 1 if a folder uses one behind it.
"""

import argparse
import re
import sys

import objects


def folder(source):
    return source.split("/")[0]


def upward_symbols(order, found):
    """Lines about each use of a folder that stands behind the user's."""
    rank = {name: place for place, name in enumerate(order)}
    uses = [(user, found.defined[symbol], symbol) for user, symbol in sorted(found.needed) if symbol in found.defined]
    return [f"src/{user} needs {symbol}, which src/{definer} defines" for user, definer, symbol in uses
            if rank[folder(definer)] > rank[folder(user)]]


def upward_includes(order):
    rank = {name: place for place, name in enumerate(order)}
    wrong = []
    for path in sorted([*objects.SRC.rglob("*.h"), *objects.SRC.rglob("*.cpp")]):
        name = path.relative_to(objects.SRC).as_posix()
        for included in re.findall(r'^#include "(\w+)/', path.read_text(encoding="utf-8"), re.MULTILINE):
            if included != "bough" and rank[included] > rank[folder(name)]:
                wrong.append(f"src/{name} includes a header of src/{included}")
    return wrong


def check_itself(order, found):
    """A check that sees nothing would find nothing: a call in each direction is planted beside what is there."""
    first, last = f"{order[0]}/planted.cpp", f"{order[-1]}/planted.cpp"
    defined = {"bough::low()": first, "bough::high()": last}
    down = objects.Objects(defined, [(last, "bough::low()")])
    up = objects.Objects(defined, [(first, "bough::high()")])
    if upward_symbols(order, down) or len(upward_symbols(order, up)) != 1:
        sys.exit("layers.py: does not tell a planted call upward from one downward")
    across = {(folder(user), folder(found.defined[symbol])) for user, symbol in found.needed if symbol in found.defined}
    if not {("worker", "machine"), ("entry", "worker"), ("arena", "machine")} <= across:
        sys.exit("layers.py: misses calls that are there; are these the object files of libbough?")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nm", required=True)
    parser.add_argument("objects", nargs="+")
    o = parser.parse_args()
    order = objects.layers()
    found = objects.read(o.nm, o.objects)
    check_itself(order, found)
    wrong = upward_includes(order) + upward_symbols(order, found)
    if wrong:
        sys.exit("\n".join([f"A folder uses what stands behind it in {' '.join(order)}:", *wrong]))
    print(f"{len(o.objects)} object files of {len(order)} folders use nothing behind them")


if __name__ == "__main__":
    main()
