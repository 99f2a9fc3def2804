"""What the object files of libbough define and need, by nm, and the order of the layers, which src/README.md has."""

import collections
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SRC = ROOT / "src"

Objects = collections.namedtuple("Objects", "defined needed")


def layers():
    """The folders of src in their order: each may use what stands before it. From the table of src/README.md."""
    table = (SRC / "README.md").read_text(encoding="utf-8").split("## Layers")[1].split("\n## ")[0]
    first_column = re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)
    order = [name for row in first_column for name in re.findall(r"`(\w+)/`", row)]
    folders = {path.parent.relative_to(SRC).parts[0] for path in SRC.rglob("*.cpp")}
    if set(order) < folders or len(order) != len(set(order)):
        raise SystemExit(f"src/README.md does not list each folder of src once as a layer: {order}")
    return order


def nm(tool, *arguments):
    """The file, the type and the demangled name of each symbol."""
    done = subprocess.run([tool, "-A", "-C", *arguments], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        found = re.match(r"([^:]+): ?[0-9a-f ]*([A-Za-z]) (.+)", line)
        if found:
            yield found.groups()


def source_of(name):
    path = pathlib.Path(name)
    return f"{path.parent.name}/{path.name.removesuffix('.o')}"


def read(tool, files):
    """defined: symbol -> source; needed: pairs of a source and a symbol. What is inline in a header is defined in every
    object that needs it, weakly, and belongs to no folder; what it calls is needed by each of these objects."""
    defined, needed = {}, []
    for name, kind, symbol in nm(tool, *files):
        if "bough::" not in symbol:
            continue
        if kind == "U":
            needed.append((source_of(name), symbol))
        elif kind in "TDBRS":
            defined[symbol] = source_of(name)
    return Objects(defined, needed)
