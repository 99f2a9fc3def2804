"""The options of ./dev simulate. Bad input ends with one line and status 2. Run alone (python -m runner.options) this only
checks them: ./dev does so before it builds."""

import argparse
import json
import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
CASES = sorted(source.stem for source in (HERE / "cases").glob("*.cpp"))
HAND, BOUGH, CLASSIC, ONETBB = "hand", "bough", "bough-classic", "onetbb"
# bough with parts of it left out, or put in: what is set for each. The first is measured unless --runtimes says otherwise.
FORMS = {
    CLASSIC: {"BOUGH_DISTRIBUTE": "steal", "BOUGH_GATE": "off", "BOUGH_MAIL": "off"},
    "bough-thieves": {"BOUGH_DISTRIBUTE": "steal", "BOUGH_GATE": "off", "BOUGH_MAIL": "off", "BOUGH_THIEVES": "all"},
    "bough-no-tree": {"BOUGH_DISTRIBUTE": "steal"},
    "bough-no-gate": {"BOUGH_GATE": "off"},
    "bough-no-grain": {"BOUGH_GRAIN": "1"},
    "bough-no-prediction": {"BOUGH_PREDICT": "0"},
    "bough-no-start": {"BOUGH_MAIL": "off"},
    "bough-letters": {"BOUGH_MAIL": "letters"},
    "bough-always": {"BOUGH_MAIL": "always"},
}
PARTITIONERS = [f"{ONETBB}-{name}" for name in ("static", "simple", "auto", "affinity")]
EIGEN, OPENMP = "eigen", "openmp"
SCHEDULES = [f"{OPENMP}-{name}" for name in ("static", "dynamic", "guided")]
OTHERS = [EIGEN, *SCHEDULES]  # are run if --runtimes names them
# OpenMP does not look at the host's topology, and places no thread, as is its default.
SETTINGS = {**FORMS, **{schedule: {"KMP_AFFINITY": "disabled"} for schedule in SCHEDULES}}
RUNTIMES = [HAND, BOUGH, *FORMS, ONETBB, *PARTITIONERS, *OTHERS]
ASKED_FOR = [*(form for form in FORMS if form != CLASSIC), *OTHERS]
PROGRAMS_RUNTIMES = [BOUGH, *FORMS, ONETBB]  # a program of the user's has chosen its partitioners itself
# Trees of forks: only bough and oneTBB have them, and there oneTBB has no partitioner.
FORKS = [case for case in CASES if case.startswith(("fib_", "tree_"))]
# What cannot run another case. The rest are loops: by hand, on bough, with each partitioner, on the others.
WITHOUT = {
    "scan": [f"{ONETBB}-static", f"{ONETBB}-affinity", EIGEN],  # have none
}
MOST_CORES, MOST_SEEDS, MOST_SECONDS = 1024, 10000, 86400
PRICES = (0.1, 10)


def runtimes_of(case):
    """What can run a case, in the table's order."""
    left_out = [HAND, *PARTITIONERS, *OTHERS] if case in FORKS else [ONETBB, *WITHOUT.get(case, [])]
    return [runtime for runtime in RUNTIMES if runtime not in left_out]


def stop(message):
    print(f"simulate: {message}", file=sys.stderr)
    sys.exit(2)


def whole_number(low, high):
    def convert(text):
        if not re.fullmatch("[0-9]{1,12}", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {low} to {high}")
        return int(text)

    return convert


def numbers(text):
    """Numbers of cores, in the order of their size, each once."""
    convert = whole_number(1, MOST_CORES)
    return sorted({convert(part) for part in text.split(",")})


def factors(text):
    found = []
    for part in text.split(","):
        if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", part) or not PRICES[0] <= float(part) <= PRICES[1]:
            raise argparse.ArgumentTypeError(f"'{part}' is not a number from {PRICES[0]} to {PRICES[1]}")
        found.append(float(part))
    return sorted(set(found))


def names(what, allowed):
    def convert(text):
        chosen = text.split(",")
        for name in chosen:
            if name not in allowed:
                raise argparse.ArgumentTypeError(f"unknown {what} '{name}'; allowed: {', '.join(allowed)}")
        return [name for name in allowed if name in chosen]

    return convert


def ending(suffix):
    def convert(text):
        if not text.endswith(suffix) or text == suffix:
            raise argparse.ArgumentTypeError(f"'{text}' is not a name that ends in {suffix}")
        return text

    return convert


class Parser(argparse.ArgumentParser):
    def error(self, message):
        unknown = re.match(r"unrecognized arguments: (\S+)", message)
        if unknown:
            words = [word for action in self._actions for word in action.option_strings if word.startswith("--")]
            message = f"unknown option '{unknown[1]}'; allowed: {', '.join(words)}"
            if not unknown[1].startswith("-"):
                message = f"'{unknown[1]}' is one program too many; allowed is one"
        stop(message.removeprefix("argument "))


def parser():
    p = Parser(prog="./dev simulate", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
               usage="./dev simulate [options] [PROGRAM.cpp]",
               description="Runs cases, or a TBB program of yours, on cores that are not there, in virtual time.",
               epilog="A table goes to standard output, progress to standard error. All its times are virtual:\n"
                      "simulate/README.md says what they are good for.\n\n"
                      f"machines: {', '.join(machines())}\ncases:    {', '.join(CASES)}\nruntimes: {', '.join(RUNTIMES)}")
    p.add_argument("--machine", metavar="M", default="xeon-48", help="a name from below, or a file (default: %(default)s)")
    p.add_argument("--cores", metavar="LIST", type=numbers, help="numbers of cores, such as 2,8,48 (default: 2, 8 and all)")
    p.add_argument("--only", metavar="CASE", type=names("case", CASES), help="a case, or several, from below")
    p.add_argument("--runtimes", metavar="LIST", type=names("runtime", RUNTIMES), help="only these, from below")
    p.add_argument("--seeds", metavar="N", type=whole_number(1, MOST_SEEDS), default=3,
                   help="runs of each, with seeds 1 to N (default: %(default)s)")
    p.add_argument("--prices", metavar="LIST", type=factors, default=[1.0],
                   help="factors: each run once with each, and all prices of moving a cache line multiplied by it, such as "
                   "0.5,1,2 (default: 1)")
    p.add_argument("--time-limit", metavar="S", type=whole_number(1, MOST_SECONDS), default=120,
                   help="seconds of the host's processor that one run may take (default: %(default)s)")
    p.add_argument("--json", metavar="FILE", help="write everything there: the machine, each run, each sample")
    p.add_argument("--plot", metavar="FILE.png", type=ending(".png"), help="draw times over cores there")
    p.add_argument("--plot-starts", metavar="FILE.png", type=ending(".png"),
                   help="draw when task 1, 2 ... of all_start and tree_start begins")
    p.add_argument("--counts", action="store_true", help="count what bough does, for --json; it costs some ns an event")
    p.add_argument("--trace", metavar="DIR", help="one more run of each with seed 1, whose time goes into no table: where it "
                   "went, as text and for chrome://tracing, into that folder")
    p.add_argument("program", metavar="PROGRAM.cpp", nargs="?",
                   help="a program with main() that uses oneTBB: how long would it run, on oneTBB and on bough?")
    return p


def machines():
    return sorted(file.stem for file in (HERE / "machines").glob("*.json"))


class Machine:
    """A file of machines/, or another: the machine itself checks its prices when it starts."""

    def __init__(self, given):
        self.file = HERE / "machines" / f"{given}.json" if given in machines() else pathlib.Path(given)
        self.name = self.file.stem
        if not self.file.is_file():
            stop(f"--machine: unknown machine '{given}'; allowed: {', '.join(machines())}, or a file")
        try:
            self.description = json.loads(self.file.read_text())
            self.cores = math.prod(int(count) for count in self.description["topology"].values())
        except (OSError, json.JSONDecodeError, UnicodeError) as error:
            stop(f"--machine: {self.file}: not JSON: {error}")
        except (KeyError, TypeError, ValueError, AttributeError):
            stop(f"--machine: {self.file}: topology: wanted are numbers, whose product is that of cores")
        if not 1 <= self.cores <= MOST_CORES:
            stop(f"--machine: {self.file}: topology: allowed are 1 to {MOST_CORES} cores")
        self.compare_fields()

    def compare_fields(self):
        """With those of a machine that is known: what is wrong shows before anything is built."""
        known = json.loads((HERE / "machines" / "xeon-48.json").read_text())
        for where, own, wanted, besides in (("", self.description, known, {"slow_cores"}),
                                            ("topology.", self.description["topology"], known["topology"], set()),
                                            ("prices.", self.description.get("prices", {}), known["prices"], set())):
            if not isinstance(own, dict):
                stop(f"--machine: {self.file}: {where or 'the file'}: an object is wanted")
            for name in sorted(set(own) - set(wanted) - besides):
                stop(f"--machine: {self.file}: {where}{name}: unknown; allowed are {', '.join([*wanted, *sorted(besides)])}")
            for name in sorted(set(wanted) - set(own)):
                stop(f"--machine: {self.file}: {where}{name} is missing")
        for name, price in self.description["prices"].items():
            ns = price.get("ns") if isinstance(price, dict) else None
            if not isinstance(ns, (int, float)) or isinstance(ns, bool) or not ns >= 0:
                stop(f"--machine: {self.file}: prices.{name}.ns: a number from 0 on is wanted")


def instead(case, missing, chosen):
    """Which oneTBB is meant, if what is missing is one: loops have partitioners, forks have none."""
    meant = [r for r in runtimes_of(case) if r.startswith(ONETBB)]
    if not any(r.startswith(ONETBB) for r in missing) or set(meant) & set(chosen):
        return ""
    return f"; on oneTBB it is run by {', '.join(meant)}"


def read(arguments, remarks=True):
    """Without remarks only errors are said: ./dev reads the options twice."""
    o = parser().parse_args(arguments)
    o.machine = Machine(o.machine)
    if o.cores is None:
        o.cores = sorted({min(cores, o.machine.cores) for cores in (2, 8, o.machine.cores)})
    if o.cores[-1] > o.machine.cores:
        stop(f"--cores: {o.cores[-1]} are more than {o.machine.name} has; allowed are 1 to {o.machine.cores}")
    if o.program is not None:
        check_program(o)
    for option, file in (("--json", o.json), ("--plot", o.plot), ("--plot-starts", o.plot_starts)):
        if file and not pathlib.Path(file).resolve().parent.is_dir():
            stop(f"{option}: {file}: there is no such folder")
        if file and pathlib.Path(file).is_dir():
            stop(f"{option}: {file}: is a folder")
    if o.trace and pathlib.Path(o.trace).exists() and not pathlib.Path(o.trace).is_dir():
        stop(f"--trace: {o.trace}: is no folder")
    if o.trace:
        try:
            pathlib.Path(o.trace).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            stop(f"--trace: {o.trace}: {error.strerror}")
    o.title = pathlib.Path(o.program).name if o.program else None
    o.cases = ["program"] if o.program else o.only or CASES
    o.wanted = {case: [r for r in (PROGRAMS_RUNTIMES if o.program else runtimes_of(case))
                       if (r in o.runtimes if o.runtimes else r not in ASKED_FOR)]
                for case in o.cases}
    if remarks:
        remark(o)
    if not any(o.wanted.values()):
        allowed = PROGRAMS_RUNTIMES if o.program else runtimes_of(o.cases[0])
        stop(f"--runtimes: {', '.join(o.runtimes)} cannot run {o.program or o.cases[0]}; allowed: {', '.join(allowed)}")
    return o


def remark(o):
    for case in o.only or []:
        if missing := [r for r in o.runtimes or [] if o.wanted[case] and r not in o.wanted[case]]:
            print(f"simulate: {case} cannot be run on {', '.join(missing)}{instead(case, missing, o.runtimes)}",
                  file=sys.stderr)
    for case, runtimes in o.wanted.items():
        if not runtimes and o.only and any(o.wanted.values()):
            print(f"simulate: {case} is left out: {', '.join(o.runtimes)} cannot run it"
                  f"{instead(case, o.runtimes, o.runtimes)}", file=sys.stderr)


def check_program(o):
    if o.only:
        stop(f"--only chooses a case, and {o.program} is a program: give one of them")
    if not pathlib.Path(o.program).is_file():
        stop(f"{o.program}: no such program")
    if pathlib.Path(o.program).suffix not in (".cpp", ".cc", ".cxx"):
        stop(f"{o.program}: allowed is a C++ source: .cpp, .cc, .cxx")


if __name__ == "__main__":
    read(sys.argv[1:])
