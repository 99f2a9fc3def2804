"""Starts programs of build/simulate, which simulate/README.md explains, for the scripts beside this file."""

import json
import pathlib

MACHINES = pathlib.Path(__file__).resolve().parents[1] / "simulate" / "machines"


def names():
    return sorted(file.stem for file in MACHINES.glob("*.json"))


def cores(machine):
    t = json.loads((MACHINES / (machine + ".json")).read_text(encoding="utf-8"))["topology"]
    return t["packages"] * t["nodes_per_package"] * t["caches_per_node"] * t["cores_per_cache"]


def environment(machine, threads, number):
    """The whole environment of run `number`, counted from 0: nothing of the user's gets into a run."""
    return dict(SIMULATE_MACHINE=str(MACHINES / (machine + ".json")), SIMULATE_CORES=str(threads),
                SIMULATE_SEED=str(number + 1))
