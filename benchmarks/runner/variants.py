"""Runtimes that are bench_bough in another environment, or on another variant of the library (src/queue/README.md)."""

import os

CLASSIC = {"BOUGH_DISTRIBUTE": "steal", "BOUGH_GATE": "off", "BOUGH_MAIL": "off"}
QUEUES = ["chase-lev", "mutex", "abp", "split", "split-signal", "split-signal-conservative", "split-signal-half"]
BY_QUEUE = "classic+"  # and a queue: work stealing only, on the library that has that queue

ENVIRONMENTS = {"bough_classic": CLASSIC, "bough_even": {"BOUGH_DISTRIBUTE": "even"},
                "bough_even_9_16": {"BOUGH_DISTRIBUTE": "even-9-16"},
                "bough_uneven": {"BOUGH_DISTRIBUTE": "uneven"},
                **{BY_QUEUE + queue: CLASSIC for queue in QUEUES}}
SHARED = "bough_shared"  # the program that is linked with libbough.so, whichever that is


def is_counting():
    return os.environ.get("BOUGH_STATS") == "1"


def variant(runtime):
    """The library that the runtime is started on; None: what the program is linked with."""
    if runtime != "bough" and runtime not in ENVIRONMENTS:
        return None
    queue = runtime.removeprefix(BY_QUEUE) if runtime.startswith(BY_QUEUE) else "chase-lev"
    if is_counting():  # what queues do, each counts for itself
        return queue + "-counted"
    return queue if runtime.startswith(BY_QUEUE) else None


def library(build, name):
    """Of a variant; chase-lev is the library itself."""
    folder = build / "lib" if name == "chase-lev" else build / "lib" / "bough-variants" / name
    return folder / "libbough.so.0"


def environment(runtime, build):
    chosen = dict(ENVIRONMENTS.get(runtime, {}))
    name = variant(runtime)
    if name:
        chosen["LD_PRELOAD"] = str(library(build, name))
    return chosen


def missing(runtime, build):
    """What the build lacks for the runtime; None: nothing."""
    name = variant(runtime)
    return None if not name or library(build, name).exists() else str(library(build, name))


def program(runtime):
    """The runtime whose binary it is."""
    if variant(runtime):
        return SHARED
    return "bough" if runtime in ENVIRONMENTS else runtime
