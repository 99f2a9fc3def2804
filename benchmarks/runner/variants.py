"""Runtimes that are bench_bough in another environment."""

CLASSIC = {"BOUGH_DISTRIBUTE": "steal", "BOUGH_GATE": "off"}
QUEUES = ["chase-lev", "mutex", "abp", "split", "split-signal", "split-signal-conservative", "split-signal-half"]
BY_QUEUE = "classic+"  # and a queue: work stealing only, with that queue

ENVIRONMENTS = {"bough_classic": CLASSIC, "bough_even": {"BOUGH_DISTRIBUTE": "even"},
                "bough_even_9_16": {"BOUGH_DISTRIBUTE": "even-9-16"},
                "bough_uneven": {"BOUGH_DISTRIBUTE": "uneven"},
                **{BY_QUEUE + queue: dict(CLASSIC, BOUGH_QUEUE=queue) for queue in QUEUES}}


def environment(runtime):
    return ENVIRONMENTS.get(runtime, {})


def program(runtime):
    """The runtime whose binary it is."""
    return "bough" if runtime in ENVIRONMENTS else runtime
