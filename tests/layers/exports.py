#!/usr/bin/env python3
"""What libbough exports is what the headers in include/bough/exports declare, no more and no less. Each of them has one
source file of its name, names it as "Behind it", and declares what that file exports.

    exports.py --nm NM --library LIBBOUGH OBJECT ...    Exit status: 1 if that does not hold.
"""

import argparse
import collections
import re
import sys

import objects

HEADERS = objects.ROOT / "include" / "bough"
EXPORTS = HEADERS / "exports"
MARK = "BOUGH_EXPORT"
ONE_FILE_PER_SYSTEM = "_linux"


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def declared_in(text):
    """How often each name is declared: what is exported, with members of exported classes, and what is not."""
    marked, unmarked = collections.Counter(), collections.Counter()
    scopes = []  # of the open braces: a prefix, or None where nothing is looked at; and whether it is a class
    code = re.sub(r"^#[^\n]*|\b(public|private|protected):", "", without_comments(text), flags=re.MULTILINE)
    for head, end in re.findall(r"([^;{}]*)([;{}])", code):
        prefix, in_class = scopes[-1] if scopes else ("", False)
        opened = re.search(rf"\bnamespace ([\w:]+)\s*$|\b(class|struct) {MARK} (\w+)", head)
        if end == "}":
            scopes.pop()
        elif end == "{":
            name = opened and (opened.group(1) or opened.group(3))
            known = opened and prefix is not None
            scopes.append((f"{prefix}{name}::" if known else None, bool(opened and opened.group(2))))
        elif prefix is not None and (MARK in head or "(" in head):
            name = prefix + re.search(r"(~?\w+)\s*([(]|$)", head).group(1)
            (marked if in_class or MARK in head else unmarked)[name] += 1
    return marked, unmarked


def name_of(symbol):
    return symbol.split("(")[0]


def is_of_a_class(symbol):
    return symbol.startswith(("vtable for ", "typeinfo for ", "typeinfo name for "))


def counted(symbols):
    return collections.Counter(name_of(symbol) for symbol in set(symbols) if not is_of_a_class(symbol))


def compare(where, declared, defined):
    less = [f"{where} declares {name}, which is not exported" for name in sorted(declared - defined)]
    more = [f"{where} does not declare {name}, which is exported" for name in sorted(defined - declared)]
    return less + more


def sources_of(name):
    return [path.relative_to(objects.ROOT).as_posix() for path in objects.SRC.rglob("*.cpp")
            if path.stem in (name, name + ONE_FILE_PER_SYSTEM)]


def wrong_in_header(path, exported, found):
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"Behind it:\s(?://\s)?(src/\w+/\w+\.cpp)\.", text)
    sources = sources_of(path.stem)
    if len(sources) != 1 or named != sources:
        return [f"{path.name} must name its source as \"Behind it: FILE.\": it names {named}, and of its name there are "
                f"{sources}"]
    defined = counted(s for s in exported if f"src/{found.defined.get(s)}" == sources[0])
    marked, unmarked = declared_in(text)
    return [f"{path.name} declares {name} without {MARK}" for name in unmarked] + compare(path.name, marked, defined)


def strays():
    """Marks in other places than the headers' folder. A class may have one, for its type to be one in all libraries."""
    files = [*HEADERS.rglob("*.h"), *objects.SRC.rglob("*.h"), *objects.SRC.rglob("*.cpp")]
    wrong = []
    for path in set(files) - set((objects.SRC / "checks").iterdir()):  # which takes the place of the system's calls
        text = re.sub(rf"#define {MARK}\b|class {MARK}\b", "", without_comments(path.read_text(encoding="utf-8")))
        if path.parent != EXPORTS and MARK in text:
            wrong.append(f"{path.relative_to(objects.ROOT)} exports something; {EXPORTS.relative_to(objects.ROOT)} may")
    return wrong


def check_itself():
    """A parser that sees nothing would find nothing."""
    text = ("namespace a {\nstruct b;\nBOUGH_EXPORT int f(b& c, int (*g)(int));  // BOUGH_EXPORT int no();\n"
            "BOUGH_EXPORT int f();\nclass BOUGH_EXPORT d : public e {\npublic:\n    d();\n    ~d() override;\n};\n"
            "struct h {\n    int (*i)();\n};\nnamespace k::l {\nBOUGH_EXPORT extern m<n> o;\nvoid p();\n}\n}\n")
    if declared_in(text) != ({"a::f": 2, "a::d::d": 1, "a::d::~d": 1, "a::k::l::o": 1}, {"a::k::l::p": 1}):
        sys.exit(f"exports.py: misreads a header: {declared_in(text)}")
    one, other = collections.Counter({"f": 1}), collections.Counter({"f": 2})
    if compare("", one, one) or not compare("", one, other) or not compare("", other, one):
        sys.exit("exports.py: does not tell more and less")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nm", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("objects", nargs="+")
    o = parser.parse_args()
    check_itself()
    found = objects.read(o.nm, o.objects)
    # What the standard library's headers bring along is not bough's.
    exported = [symbol for _, _, symbol in objects.nm(o.nm, "-D", "--defined-only", o.library)
                if re.match(r"(vtable for |typeinfo (name )?for )?bough::", symbol)]
    headers = sorted(EXPORTS.glob("*.h"))
    wrong = strays() + [line for path in headers for line in wrong_in_header(path, exported, found)]
    declared = sum((declared_in(path.read_text(encoding="utf-8"))[0] for path in headers), collections.Counter())
    wrong += compare("include/bough/exports", declared, counted(exported))
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{declared.total()} calls and variables, declared in {len(headers)} headers")


if __name__ == "__main__":
    main()
