"""One part of the report: its lines, plots, numbers, what the papers claim, and what went wrong."""

import re

from .. import intervals


class Part:
    def __init__(self, name, title, figures):
        self.name, self.title, self.figures = name, title, figures
        self.lines, self.plots, self.claims, self.troubles = [], [], [], []
        self.data = {}

    def say(self, text):
        self.lines += [text, ""]

    def table(self, head, rows):
        self.lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        self.lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]

    def plot(self, name, text):
        """A plot that was drawn, and what it shows; None: there was nothing to draw."""
        if name:
            self.plots.append(name)
            self.lines += [f"![{text}]({name})", "", f"*{text}*", ""]

    def claim(self, figure, paper, measured, verdict):
        self.claims.append({"figure": figure, "paper": paper, "measured": measured, "verdict": verdict})

    def trouble(self, text):
        """Something gave a wrong answer or did not end well: exit code 1."""
        print(f"  {self.name}: {text}", flush=True)
        self.troubles.append(text)

    def take_troubles(self, results):
        for runtime, message in results.failed.items():
            self.trouble(f"{runtime}: {message}")
        for runtime, errors in results.errors.items():
            for case, message in errors.items():
                self.trouble(f"{runtime}, {case}: {message}")


def verdict(c, limit, judged=True):
    """Of a ratio that should be at most limit."""
    if not c:
        return "not measured"
    if not judged:
        return "shown only: more threads than CPUs"
    if not intervals.decides(c):
        return "too few rounds"
    if c["high"] <= limit:
        return "holds"
    if c["low"] > limit:
        return "does not hold"
    return "holds within the interval" if c["ratio"] <= limit else "does not hold, but within the interval"


def wanted(o, section, cases=()):
    """Those of the cases that --only wants; for no cases, whether it wants the section."""
    if not o.only:
        return list(cases) or [section]
    return [case for case in cases or [""] if re.search(o.only, f"{section}/{case}")]
