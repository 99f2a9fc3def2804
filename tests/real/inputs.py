"""Inputs of the real programs, made from fixed seeds: reads, genomes, polynomials."""

import random

ADAPTER = "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA"


def reads(file, count, seed=1):
    """FASTQ: reads of 100 bases, most of which end in a part of the adapter, some with an error in it."""
    chance = random.Random(seed)
    with open(file, "w", encoding="ascii") as out:
        for i in range(count):
            own = "".join(chance.choices("ACGT", k=chance.randrange(30, 110)))
            tail = list(ADAPTER + "".join(chance.choices("ACGT", k=60)))
            tail[chance.randrange(len(ADAPTER))] = chance.choice("ACGTN")
            sequence = (own + "".join(tail))[:100]
            quality = "".join(chr(33 + chance.randrange(2, 41)) for _ in sequence)
            out.write(f"@read{i}\n{sequence}\n+\n{quality}\n")
    return file


def adapters(file):
    file.write_text(f">adapter\n{ADAPTER}\n", encoding="ascii")
    return file


def genomes(file, count, length, seed=2):
    """FASTA: relatives of one random genome, which differ in one base of a hundred."""
    chance = random.Random(seed)
    ancestor = chance.choices("ACGT", k=length)
    with open(file, "w", encoding="ascii") as out:
        for i in range(count):
            genome = list(ancestor)
            for place in chance.sample(range(length), length // 100):
                genome[place] = chance.choice("ACGT")
            out.write(f">genome{i}\n{''.join(genome)}\n")
    return file


def product(a, b):
    return a + "2" if a == b else min(a, b) + max(a, b)


def katsura(file, n):
    """Katsura's equations in n variables, homogeneous, modulo 101, in mathicgb's format."""
    names = "abcdefghijklmnopqrstuvwxyz"[:n + 1]
    unit = names[n]
    lines = [f"101 {n + 1} 1 " + " ".join("1" * (n + 1)), str(n),
             names[0] + "".join(f"+2{names[i]}" for i in range(1, n)) + f"-{unit}"]
    for m in range(n - 1):
        terms = {}
        for i in range(1 - n, n):
            if abs(m - i) < n:
                pair = product(names[abs(i)], names[abs(m - i)])
                terms[pair] = terms.get(pair, 0) + 1
        lines.append("+".join(f"{count if count > 1 else ''}{pair}" for pair, count in terms.items()) +
                     f"-{names[m]}{unit}")
    file.write_text("\n".join(lines) + "\n", encoding="ascii")
    return file
