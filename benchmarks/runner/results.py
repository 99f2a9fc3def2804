"""What was measured, and the machine it was measured on."""

import datetime
import json
import os
import platform
import statistics


class Results:
    def __init__(self, o, cases, first_cases):
        self.cases = cases
        self.runtimes = o.runtimes
        self.times = {case: {runtime: [] for runtime in o.runtimes} for case in cases}  # per round: list of ns
        self.more = {case: {} for case in cases}  # the same, of further processes for the stability
        self.more_starts = []
        self.first_calls = {case: {} for case in first_cases}  # runtime -> {"first": [ns of each process], ...}
        self.latency = []  # one entry per bracketed pair
        self.ping_ns = None
        self.errors = {}  # runtime -> {case: message}
        self.failed = {}  # runtime -> message: it crashed or hung
        self.versions = {}
        self.compiler = "?"
        self.settings = {"threads": o.threads, "cpus": o.cpus, "rounds": o.rounds, "sizes": "full" if o.full else "quick",
                         "profile": o.profile_used,
                         "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds")}
        self.machine = machine()

    def add_errors(self, runtime, errors):
        if errors:
            self.errors.setdefault(runtime, {}).update(errors)

    def add_failure(self, runtime, message):
        print(f"  {message}", flush=True)
        self.failed[runtime] = message

    def add_context(self, runtime, context):
        self.versions[runtime] = context.get("version", "?")
        self.compiler = context.get("compiler", "?")

    def per_round(self, case, runtime):
        """Median of each round's repetitions; None where there is none."""
        return [statistics.median(r) if r else None for r in self.times[case].get(runtime, [])]

    def per_process(self, case, runtime):
        """Medians of every new process that ran the case."""
        rows = self.times[case].get(runtime, []) + self.more[case].get(runtime, [])
        return [statistics.median(r) for r in rows if r]

    def stable_runtimes(self):
        return [r for r in ("serial", "bough") if r in self.runtimes]

    def median(self, case, runtime):
        values = [v for v in self.per_round(case, runtime) if v is not None]
        return statistics.median(values) if values else None

    def save(self, path, summary):
        data = {"machine": self.machine, "compiler": self.compiler, "versions": self.versions,
                "settings": self.settings, "unit": "ns", "times": self.times, "more": self.more, "latency": self.latency,
                "more_starts": self.more_starts, "first_calls": self.first_calls,
                "ping_ns": self.ping_ns, "errors": self.errors, "failed": self.failed, "summary": summary}
        path.write_text(json.dumps(data, indent=1))

    @classmethod
    def load(cls, path):
        """What save() wrote, for another look at it."""
        data = json.loads(path.read_text())
        results = cls.__new__(cls)
        results.cases, results.runtimes = list(data["times"]), list(next(iter(data["times"].values()), {}))
        for name in ("machine", "compiler", "versions", "settings", "times", "more", "latency", "more_starts", "first_calls",
                     "ping_ns", "errors", "failed"):
            setattr(results, name, data[name])
        return results


def machine():
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith(("model name", "Model")):
                    model = line.split(":", 1)[1].strip()
                    break
    except OSError:
        pass
    return {"cpu": model, "cpus": os.cpu_count(), "architecture": platform.machine(), "kernel": platform.release()}
