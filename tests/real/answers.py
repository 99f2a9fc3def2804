"""What of a program's output is its answer. Byte for byte where the program is deterministic; the others:

- vdb files carry a fresh random UUID in their header (36 characters from byte 21 on): blanked.
- twopaco numbers its junctions in the order in which its threads find them: graphdump lists them along the genomes,
  and they are numbered anew in that order, orientation against the first occurrence.
- embree_verify: one line per test, its name and its verdict; the dots in between say how long it took.
"""

import re
import subprocess

UUID = slice(21, 57)


def files(*names):
    def answer(finished):
        return b"".join(name.encode() + b"\n" + (finished.folder / name).read_bytes() for name in names)
    return answer


def stdout(finished):
    return (finished.folder / "stdout").read_bytes()


def vdb(name):
    def answer(finished):
        content = bytearray((finished.folder / name).read_bytes())
        if not re.fullmatch(rb"[0-9a-f-]{36}", content[UUID]):
            raise ValueError(f"{name}: no UUID where vdb files of this version have it")
        content[UUID] = b"-" * 36
        return bytes(content)
    return answer


def junctions(name, genomes, k):
    def answer(finished):
        listed = subprocess.run(["graphdump", "-k", str(k), "-f", "seq", "-s", str(genomes), name], check=True,
                                cwd=finished.folder, capture_output=True, text=True, timeout=120).stdout
        first, lines = {}, []
        for line in listed.splitlines():
            fields = line.split()
            if len(fields) != 3 or not re.fullmatch(r"-?\d+", fields[2]):
                continue  # graphdump also says when it frees memory
            junction = int(fields[2])
            number, sign = first.setdefault(abs(junction), (len(first), junction > 0))
            lines.append(f"{fields[0]} {fields[1]} {number} {int(sign == (junction > 0))}")
        if not lines:
            raise ValueError("graphdump lists no junction")
        return "\n".join(lines).encode()
    return answer


def verdicts(finished):
    lines = re.findall(r"^\s*(\S+) \.*\s*\.*\s*\[(\w+)\]", finished.text("stdout"), re.MULTILINE)
    if not lines:
        raise ValueError("embree_verify ran no test")
    return "\n".join(" ".join(line) for line in lines).encode()
