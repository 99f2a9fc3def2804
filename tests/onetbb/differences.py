"""What may differ, with its reason: differences.json.

An entry names a test, a case of it (doctest's name; * stands for anything; absent: the whole test), where it differs
(engines, and their modes), how (fail or hang), and why. "unsteady" says that it does so sometimes only; an unsteady hang may be a failure, too.

The runner runs a listed test twice: without the cases that are listed, which must pass, and each of these cases alone,
which must differ as the list says. So a listed case hides no other, and an entry that holds no more is noticed.
"""

import dataclasses
import fnmatch
import json


@dataclasses.dataclass(frozen=True)
class Difference:
    test: str
    engines: tuple
    modes: tuple
    verdict: str
    why: str
    case: str = ""
    unsteady: bool = False

    def concerns(self, test, mode):
        return self.test == test and mode.engine in self.engines and mode.threads in self.modes

    def allows(self, verdict):
        return verdict == self.verdict or (self.unsteady and (verdict == "ok" or self.verdict == "hang"))


def read(path):
    entries = json.loads(path.read_text())
    return [Difference(**{**entry, "engines": tuple(entry["engines"]), "modes": tuple(entry["modes"])})
            for entry in entries]


def cases(listed):
    return [difference.case for difference in listed if difference.case]
