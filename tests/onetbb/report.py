"""The table: a test in each line, a mode in each column, a verdict and its seconds in each field; then what is wrong."""

import dataclasses

from ending import Outcome

NARROWEST = 9


@dataclasses.dataclass
class Result:
    outcome: Outcome
    listed: bool
    wrong: list  # (case, how, Outcome)

    def field(self):
        verdict = self.outcome.verdict
        if self.wrong and verdict == "ok":
            verdict = "stale" if all(outcome.verdict == "ok" for _, _, outcome in self.wrong) else "fail"
        return f"{verdict}{'*' if self.listed else ''} {self.outcome.seconds:.1f}"


class Table:
    def __init__(self, tests, modes):
        self.modes = modes
        self.width = max(map(len, tests))
        self.wrong = []
        self._print("", [mode.heading for mode in modes])

    def _print(self, name, fields):
        widths = [max(len(mode.heading), NARROWEST) for mode in self.modes]
        print("  ".join([name.ljust(self.width)] + [f.rjust(w) for f, w in zip(fields, widths)]), flush=True)

    def row(self, name, results):
        self._print(name, [results[mode].field() if mode in results else "-" for mode in self.modes])
        for mode, result in results.items():
            self.wrong += [(name, mode, *one) for one in result.wrong]

    def end(self):
        print("*: differences.json lists something of it")
        for name, mode, case, how, outcome in self.wrong:
            print(f"\n{name}, {mode.heading}{', case ' + case if case else ''}: {how} after {outcome.seconds:.1f} s")
            print(*(f"    {line}" for line in outcome.reasons()), sep="\n")
        print(f"\n{len(self.wrong)} differences that are not listed, or listed and gone" if self.wrong else "as listed")
        return 1 if self.wrong else 0
