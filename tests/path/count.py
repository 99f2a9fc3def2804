#!/usr/bin/env python3
"""Counts the functions and files that a loop goes through, and the lines of src/. README.md says what is counted.

    count.py [--build DIR] [--jobs N] [--times N] [--compiler CXX] [--json FILE]

Builds libbough and loops.cpp in DIR (build/path), runs two loops again and again, and prints the result as Markdown.
Exit status: 0 counted; 1 an error, such as too few loops that handed something out.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = "tests/path/loops.cpp"
EMPTY_UNITS = 10  # of the empty loop there
# Of loops whose way is seen, and of loops that go the commonest way: on a busy machine the worker is seldom there.
ENOUGH, LEAST, MOST_ROUNDS = 200, 20, 10
PATIENCE_S = 120  # a run takes one or two; it has no end if no worker comes

Function = collections.namedtuple("Function", "name file first_line last_line")


def run(command, fails_if_it_warns=False, **options):
    text = " ".join(map(str, command))
    try:
        done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, **options)
    except subprocess.TimeoutExpired:
        sys.exit(f"{text}: no end after {options['timeout']} s")
    if done.returncode != 0 or (fails_if_it_warns and done.stderr):
        sys.exit(f"{text}: exit code {done.returncode}\n{(done.stderr or done.stdout)[-10000:]}")
    return done.stdout


# ---- the program ----

def build(folder, compiler, jobs):
    """ccache stays away: it may return an object with another checkout's paths in its debug information."""
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    options = [f"-DCMAKE_CXX_COMPILER={compiler}"] if compiler else []
    run(["cmake", "-S", HERE, "-B", folder, *options], env=environment)
    run(["cmake", "--build", folder, "--target", "loops", "-j", jobs], env=environment)
    return folder / "loops"


def run_program(program, *arguments, **environment):
    """Without the caller's settings. What bough says on stderr is of a setting that it refuses."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BOUGH_", "TBB_"))}
    return run([program, *arguments], fails_if_it_warns=True, timeout=PATIENCE_S, env={**kept, **environment})


def traces(program, loop, times):
    """Of each run: addresses of the functions entered, "-" where one is left; in the end "cut" if there were more."""
    profile = program.parent / "profile.json"
    profile.write_text(run_program(program, "profile"), encoding="utf-8")
    lines = run_program(program, loop, times, BOUGH_NUM_THREADS="2", BOUGH_PROFILE=str(profile)).splitlines()
    if not lines or not all(lines):
        sys.exit(f"{program}: nothing is recorded")
    return [line.split() for line in lines]


# ---- names and places ----

def without_brackets(name, opening, closing):
    """Without all that stands in such brackets; an operator's own are kept."""
    kept, depth, i = "", 0, 0
    while i < len(name):
        operator = re.match(r"operator(\(\)|<=>|->\*?|<<=?|>>=?|<=?|>=?)", name[i:])
        if operator and depth == 0 and not re.search(r"\w$", kept):
            kept += operator.group(0)
            i += len(operator.group(0))
            continue
        depth += name[i] == opening
        if depth == 0:
            kept += name[i]
        depth -= name[i] == closing
        i += 1
    return kept


def short(demangled):
    """bough::basic_hand_off_cell<...>::try_hand_off(...) const -> basic_hand_off_cell::try_hand_off"""
    name = re.sub(r"\{lambda\(.*?\)#\d+\}", "lambda", demangled.replace("(anonymous namespace)::", ""))
    name = without_brackets(re.sub(r"\[abi:\w+\]", "", without_brackets(name, "<", ">")), "(", ")")
    name = re.sub(r" const(?=::|$)", "", name).replace("lambda::operator()", "lambda")
    if "operator " not in name:
        name = name.rsplit(" ", 1)[-1]  # a template's return type
    return name.replace("bough::", "").replace("detail::", "")


def relative(file):
    """Of a file of the project, else None."""
    try:
        return str(pathlib.Path(os.path.normpath(file)).relative_to(ROOT))
    except ValueError:
        return None


def places(program, addresses):
    """file, line of each address."""
    answer = subprocess.run(["addr2line", "-e", program], input="\n".join(f"{a:x}" for a in addresses), text=True,
                            stdout=subprocess.PIPE, check=True).stdout.splitlines()
    found = (line.split(" (discriminator")[0].rpartition(":") for line in answer)
    return [(relative(file), int(line) if line.isdigit() else 0) for file, _, line in found]


def symbols(program):
    """Address to (size, demangled name)."""
    found = {}
    for line in run(["nm", "-C", "-S", "--defined-only", program]).splitlines():
        parts = line.split(maxsplit=3)
        if len(parts) == 4 and parts[2] in "tTwWuV":
            found[f"{int(parts[0], 16):x}"] = (int(parts[1], 16), parts[3])
    return found


def is_made_by_compiler(name, file, line):
    """Such as a constructor that is not written down, which stands where its class begins, or a lambda's conversion."""
    text = (ROOT / file).read_text(encoding="utf-8").splitlines()[line - 1]
    return re.search(r"\}::(operator [^(]|_FUN)", name) or re.match(r"\s*(template\b.*>\s*)?(struct|class)\b", text)


def resolve(program, addresses):
    """Address, as it is printed, to (demangled name, Function; None if it is not written in the project)."""
    known = symbols(program)
    missing = [a for a in addresses if a not in known]
    if missing:
        sys.exit(f"{program}: no function at {missing[0]}")
    of, bodies = zip(*((a, at) for a in addresses for at in range(int(a, 16), int(a, 16) + known[a][0])))
    lines = collections.defaultdict(list)
    for a, place in zip(of, places(program, bodies)):
        lines[a].append(place)
    written, last_lines = {}, collections.Counter()
    for a, found in lines.items():
        name, (file, first) = known[a][1], found[0]
        if file is not None and not is_made_by_compiler(name, file, first):
            written[a] = short(name), file, first
            # An instantiation of a template may end before another one.
            last_lines[written[a]] = max(last_lines[written[a]], *(line for f, line in found if f == file))
    functions = {a: Function(*place, last_lines[place]) for a, place in written.items()}
    return {a: (known[a][1], functions.get(a)) for a in addresses}


# ---- ways ----

def is_of_bough(function):
    return function is not None and function.file.startswith(("src/", "include/bough/"))


def units_by_caller(trace, functions):
    """How often the caller ran the body, which is the only lambda of loops.cpp on its way."""
    bodies = {a for a, (_, f) in functions.items() if f and f.file == PROGRAM and f.name.endswith("lambda")}
    return sum(event in bodies for event in trace)


HAS_VALUE = r"std::optional<.*>::optional<.*>\((?!.*nullopt)"


def end_of_hand_off(trace, functions):
    """Index in the trace of the end of the first hand_off_cell::try_hand_off() that returns a ticket, or None. An optional's
    constructor with a value, in try_hand_off(), tells that it does."""
    offers = []  # depth of the innermost, and whether it has a ticket
    depth = 0
    for i, event in enumerate(trace):
        if event == "cut":
            return None
        if event == "-":
            depth -= 1
            if offers and offers[-1][0] == depth:
                if offers.pop()[1]:
                    return i
            continue
        name, function = functions[event]
        if function and re.search(r"hand_off_cell::try_hand_off$", function.name):
            offers.append([depth, False])
        elif offers and depth == offers[-1][0] + 1 and re.match(HAS_VALUE, name):
            offers[-1][1] = True
        depth += 1
    return None


def way(trace, functions):
    """The functions of bough in the order in which they are first entered."""
    entered = dict.fromkeys(functions[event][1] for event in trace if event in functions)
    return tuple(f for f in entered if is_of_bough(f))


def to_hand_off(trace, functions):
    end = end_of_hand_off(trace, functions)
    return way(trace[:end], functions) if end is not None else None


def in_caller(trace, functions):
    stayed = trace[-1] != "cut" and end_of_hand_off(trace, functions) is None
    return way(trace, functions) if stayed and units_by_caller(trace, functions) == EMPTY_UNITS else None


def commonest(program, loop, way_of, what, times):
    """The way that most loops go of those that did what is asked. The program is run again while those are few."""
    ways, loops = collections.Counter(), 0
    for _ in range(MOST_ROUNDS):
        recorded = traces(program, loop, times)
        loops += len(recorded)
        functions = resolve(program, {event for t in recorded for event in t} - {"-", "cut"})
        if not any(is_of_bough(f) for _, f in functions.values()):
            sys.exit(f"{program}: none of its functions is of {ROOT}")
        ways.update(found for t in recorded if (found := way_of(t, functions)) is not None)
        if ways.total() >= ENOUGH:
            break
    if not ways:
        sys.exit(f"of {loops} loops none {what}: nothing to count")
    found, runs = ways.most_common(1)[0]
    if runs < LEAST:
        sys.exit(f"of {loops} loops {ways.total()} {what}, only {runs} in the same way; {LEAST} are wanted")
    return {"loops": loops, "that did": ways.total(), "in this way": runs, "way": found}


def count_ways(program, times):
    return {"to the first hand-off": commonest(program, "shared", to_hand_off, "handed something out", times),
            "an empty loop": commonest(program, "empty", in_caller, "stayed in the caller", times)}


# ---- lines ----

TOKEN = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/')


def lines_of_code(text):
    """Lines that are neither blank nor only a comment."""
    code = TOKEN.sub(lambda found: re.sub(".", "", found[0]) if found[0].startswith("/") else found[0], text)
    return sum(bool(line.strip()) for line in code.splitlines())


def count_lines(folder):
    texts = [path.read_text(encoding="utf-8") for pattern in ("*.h", "*.cpp") for path in sorted(folder.rglob(pattern))]
    return {"files": len(texts), "lines": sum(len(text.splitlines()) for text in texts),
            "lines of code": sum(map(lines_of_code, texts))}


# ---- what is said of it ----

def lines_on(functions):
    return len({(f.file, line) for f in functions for line in range(f.first_line, f.last_line + 1)})


def summary(counted):
    functions = counted["way"]
    return {"functions": len(functions), "of several lines": sum(f.first_line != f.last_line for f in functions),
            "their lines": lines_on(functions), "files": len({f.file for f in functions}),
            **{key: counted[key] for key in ("loops", "that did", "in this way")}}


def commit():
    name = run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"]).strip()
    changed = run(["git", "-C", ROOT, "status", "--porcelain", "--", "src", "include"]).strip()
    return name + (", changed" if changed else "")


def compiler(folder):
    path = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", (folder / "CMakeCache.txt").read_text(), re.MULTILINE).group(1)
    return run([path, "--version"]).splitlines()[0]


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def print_markdown(result):
    print(f"At commit {result['commit']}, with {result['compiler']}:\n")
    head = ["way", "functions", "of several lines", "their lines", "files"]
    print(table(head, [[name, *(found["summary"][key] for key in head[1:])] for name, found in result["ways"].items()]))
    head = ["folder", "files", "lines", "lines of code"]
    print(table(head, [[name, *(found[key] for key in head[1:])] for name, found in result["lines"].items()]))
    for name, found in result["ways"].items():
        counted = found["summary"]
        print(f"## The way: {name}\n\n{counted['in this way']} of {counted['that did']} loops go exactly so.\n")
        print(table(["", "function", "place"], [[number, f"`{f['name']}`", f"{f['file']}:{f['first_line']}"]
                                                for number, f in enumerate(found["functions"], 1)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "path")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--times", type=int, default=2000)
    parser.add_argument("--compiler")
    parser.add_argument("--json", type=pathlib.Path)
    o = parser.parse_args()
    program = build(o.build.resolve(), o.compiler, o.jobs)
    ways = count_ways(program, o.times)
    result = {"commit": commit(), "compiler": compiler(o.build),
              "ways": {name: {"summary": summary(counted), "functions": [f._asdict() for f in counted["way"]]}
                       for name, counted in ways.items()},
              "lines": {name: count_lines(ROOT / name) for name in ("src", "include/bough")}}
    print_markdown(result)
    if o.json:
        o.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
