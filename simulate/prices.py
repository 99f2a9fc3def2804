"""Looks at a program that was compiled for the virtual machine.

Writes the number of instructions of each basic block into its guard, and refuses a program in which real time, or an
access that the machine does not see, could get into a run.

    prices.py PROGRAM
"""

import re
import struct
import subprocess
import sys

# What needs an extension is not here: the machine's cpuid knows none, so a program does not use it.
FORBIDDEN = {"rdtsc", "rdtscp", "pause", "cpuid", "mfence", "syscall"}
# What the instrumentation adds for each call: the call, and the address in a register that is not only moved (leaq). The
# access itself follows for a plain one; an atomic operation is one instruction.
ADDED = [
    (re.compile(r"__tsan_atomic\d+_\w+"), 0),
    (re.compile(r"__tsan_\w*(read|write)\w*"), 1),
    (re.compile(r"__tsan_vptr_update"), 1),
    (re.compile(r"__sanitizer_cov_trace_pc_guard"), 1),
]
# Beyond the one that every instruction counts.
SLOW = {"div": 15, "idiv": 15, "divq": 25, "idivq": 25, "divsd": 8, "divpd": 10, "sqrtsd": 12}
# These stand in files that the compiler adds to every program.
OF_THE_COMPILER = re.compile(r"_start|_init|_fini|deregister_tm_clones|register_tm_clones|frame_dummy|__do_global\w*")


# The calls of the instrumentation change registers that the plain program keeps: what moves values between registers, and
# to and from the frame, is mostly theirs, and a processor renames it away.
MOVES = re.compile(r"(mov\w*|push|pop)\s+(%\w+|\$\w+|-?(0x)?[0-9a-f]*\(%r[sb]p\)),\s*(%\w+|-?(0x)?[0-9a-f]*\(%r[sb]p\))"
                   r"|(push|pop)\s.*")


def disassembly(program):
    listing = subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True)
    function = None
    for line in listing.stdout:
        if line and line[0] in "0123456789abcdef" and line.rstrip().endswith(">:"):
            function = line.split("<", 1)[1].rstrip()[:-2]
            yield function, None, None
        elif line.startswith(" ") and "\t" in line:
            yield function, line.split(":", 1)[0].strip(), line.split("\t", 1)[1].strip()
    if listing.wait() != 0:
        sys.exit("objdump failed on " + program)


def look(program):
    costs, faults = {}, []
    guard = None  # of the block that is being counted
    before = ""
    for function, address, text in disassembly(program):
        if text is None:
            guard = None
            continue
        if function.endswith("@plt") or OF_THE_COMPILER.fullmatch(function):
            continue
        words = text.split()
        name = words[0]
        while name in ("lock", "rep", "repz", "repnz", "bnd", "data16", "notrack"):
            if name == "lock":
                faults.append(f"{address} in {function}: {text}: an atomic operation that is not instrumented")
            words = words[1:]
            name = words[0] if words else ""
        if name in FORBIDDEN:
            faults.append(f"{address} in {function}: {text}")
        if name.startswith("xchg") and "(" in text and "%ax,%ax" not in text:
            faults.append(f"{address} in {function}: {text}: an atomic operation that is not instrumented")
        if name.startswith("call") and "__sanitizer_cov_trace_pc_guard@plt" in text:
            found = re.search(r"(?:\$0x|# )([0-9a-f]+)", before)
            if not found:
                sys.exit(f"{program}: {address} in {function}: the block's guard was not found: {before}")
            guard = int(found.group(1), 16)
            costs[guard] = costs.get(guard, 0)
        elif guard is not None and not name.startswith("nop"):
            cost = 0 if MOVES.fullmatch(text) else 1 + SLOW.get(name, 0)
            if name.startswith("call"):
                for pattern, added in ADDED:
                    if pattern.search(text):
                        cost = -added + ("atomic" in text)
                        break
            costs[guard] += cost
        if "%edi" in text or "%rdi" in text:
            before = text
    return costs, faults


def section(program, wanted):
    listing = subprocess.run(["objdump", "-h", program], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        words = line.split()
        if len(words) >= 6 and words[1] == wanted:
            size, address, offset = int(words[2], 16), int(words[3], 16), int(words[5], 16)
            return address, offset, size
    sys.exit(f"{program}: no section {wanted}: it was not compiled for the virtual machine")


def main():
    program = sys.argv[1]
    costs, faults = look(program)
    if faults:
        sys.exit("\n".join(f"simulate: {program}: {fault}" for fault in faults[:20]))
    address, offset, size = section(program, "__sancov_guards")
    with open(program, "r+b") as file:
        for guard, cost in costs.items():
            if not address <= guard < address + size:
                sys.exit(f"{program}: a guard at {guard:x} lies outside of its section")
            file.seek(offset + guard - address)
            file.write(struct.pack("<I", max(1, cost)))


main()
