"""What a trace of the virtual machine says, in words, and for a browser's timeline.

    trace.py TRACE.json PROGRAM [--lines N] [--chrome FILE]

TRACE.json: what the program wrote under SIMULATE_TRACE. --chrome: events in the format that chrome://tracing and
ui.perfetto.dev read.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys


class Symbols:
    """Names of addresses, by the program's debug information; inlined calls are named as well."""

    def __init__(self, program):
        self.program = program
        self.known = {}
        self.objects = None

    def load(self, addresses):
        wanted = sorted({a for a in addresses if a and a not in self.known})
        for begin in range(0, len(wanted), 1000):
            self._ask(wanted[begin:begin + 1000])

    def _ask(self, addresses):
        # The call lies before the address that it returns to.
        text = subprocess.run(["addr2line", "-e", self.program, "-f", "-C", "-i", "-a"] + [hex(a - 1) for a in addresses],
                              capture_output=True, text=True, check=True).stdout
        current = None
        lines = iter(text.splitlines())
        for line in lines:
            if line.startswith("0x"):
                current = int(line, 16) + 1
                self.known[current] = []
            else:
                place = next(lines)
                self.known[current].append((short(line), pathlib.Path(place.split(" ")[0]).name))

    def call(self, address):
        """The innermost function that is not the standard library's, and where."""
        calls = self.known.get(address, [])
        for name, place in calls:
            if not name.startswith(("std::", "__gnu_cxx", "operator new", "malloc", "??", "load", "store", "exchange")) \
                    and not re.match(r"(atomic_base|atomic|stl_\w+|bits)\.h", place):
                return f"{name} ({place})"
        return "??" if not calls else f"{calls[0][0]} ({calls[0][1]})"

    def variable(self, address):
        """A variable of the program, by its symbol; None if no one has this address."""
        if self.objects is None:
            self.objects = []
            for line in subprocess.run(["nm", "-C", "-S", "--defined-only", self.program], capture_output=True, text=True,
                                       check=True).stdout.splitlines():
                words = line.split(" ", 3)
                if len(words) == 4 and words[2] in "bBdDrRuV":
                    self.objects.append((int(words[0], 16), int(words[1], 16), words[3]))
            self.objects.sort()
        for begin, size, name in self.objects:
            if begin < address + 64 and address < begin + size:
                return short(name)
        return None


# The ways into the system, which many call.
WRAPPERS = re.compile(r"(std::\S*|__gthread\S*|(bough::machine::)?(call|futex_wait\w*|sleep\w*|wait)|lock|lock_guard|unique_lock|scoped_lock|"
                      r"mutex|process_lock|\?\?) .*")


def where(event, symbols):
    """The function that slept, and its caller."""
    names = [name for name in map(symbols.call, filter(None, event.get("calls", []))) if not name.startswith("??")]
    kept = [name for name in names if not WRAPPERS.fullmatch(name)]
    return " < ".join(kept[:3])


def short(name):
    depth, kept = 0, []
    for character in name:
        depth += character == "<"
        if depth == 0:
            kept.append(character)
        depth -= character == ">"
    return re.sub(r"\(anonymous namespace\)::|\(.*\).*", "", "".join(kept)) or name


def name_of_line(line, symbols):
    if "allocation" in line:
        a = line["allocation"]
        callers = [symbols.call(call) for call in a["calls"] if call]
        callers = [name for name in callers if not name.startswith("??")]
        return f"byte {max(0, line['address'] - a['begin'])} of {a['bytes']} allocated by {callers[0] if callers else '??'}"
    return symbols.variable(line["address"]) or "a stack, or mapped memory"


def say(trace, symbols, most):
    end = trace["end_us"]
    print(f"virtual time: {end:.3f} us")
    print("\nthreads: waiting for lines, running (with that), not running, in us")
    ran, slept = collections.Counter(), collections.defaultdict(collections.Counter)
    for event in trace["events"]:
        if "what" in event:
            length = event["ended_us"] - event["began_us"]
            if event["what"] == "runs":
                ran[event["thread"]] += length
            else:
                slept[event["thread"]][event["what"]] += length
    for number, thread in enumerate(trace["threads"]):
        asleep = ", ".join(f"{what} {length:.1f}" for what, length in slept[number].most_common())
        print(f"  {number:4} {thread['name']:16} {thread['waited_us']:10.1f} {ran[number]:10.1f}  {asleep}")
    places = collections.Counter()
    for event in trace["events"]:
        if "calls" in event:
            places[event["what"], where(event, symbols)] += event["ended_us"] - event["began_us"]
    print("\nwhere threads slept: us of all threads, and the calls, the innermost first")
    for (what, place), length in places.most_common(most):
        print(f"  {length:10.1f}  {what}: {place}")
    print("\nlines that threads waited for longest: us, times, what lies there, and where threads waited")
    for line in trace["lines"][:most]:
        print(f"  {line['waited_us']:10.1f} {line['times']:8}  {line['address']:#x} {name_of_line(line, symbols)}")
        for site in line["sites"][:4]:
            print(f"  {'':30}{site['waited_us']:10.1f} {site['times']:8}  {symbols.call(site['site'])}")


def chrome(trace, symbols, path):
    events = [{"ph": "M", "pid": 1, "tid": number, "name": "thread_name", "args": {"name": f"{number} {thread['name']}"}}
              for number, thread in enumerate(trace["threads"])]
    for event in trace["events"]:
        name = event.get("what") or "waits for a line"
        arguments = {"core": event["core"]} if "what" in event else \
            {"line": hex(event["line"]), "in": symbols.call(event["site"])}
        events.append({"ph": "X", "pid": 1, "tid": event["thread"], "ts": event["began_us"],
                       "dur": event["ended_us"] - event["began_us"], "name": name, "args": arguments})
    path.write_text(json.dumps({"traceEvents": events, "displayTimeUnit": "ns",
                                "otherData": {"time": "virtual, of a simulated machine"}}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--lines", type=int, default=12)
    parser.add_argument("--chrome", type=pathlib.Path)
    given = parser.parse_args()
    try:
        trace = json.loads(given.trace.read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"simulate: {given.trace}: {error}")
    symbols = Symbols(given.program)
    symbols.load([site["site"] for line in trace["lines"] for site in line["sites"][:4]] +
                 [call for line in trace["lines"] for call in line.get("allocation", {}).get("calls", [])] +
                 [call for event in trace["events"] for call in event.get("calls", [])])
    say(trace, symbols, given.lines)
    if given.chrome:
        symbols.load([event["site"] for event in trace["events"] if "site" in event])
        chrome(trace, symbols, given.chrome)


if __name__ == "__main__":
    main()
