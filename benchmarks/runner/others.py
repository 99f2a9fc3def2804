"""How much of our CPUs other programs (and the hypervisor) took meanwhile: verdicts from a busy machine mean nothing."""

import os
import resource
import time

IDLE = (3, 4)  # fields idle and iowait of /proc/stat
GUEST = 8  # guest time is counted in user time as well
BUSY_SHARE = 0.05  # of our CPUs


def warning(cpus, ours):
    """What `cpus` of `ours` being busy for others means; None when they took next to nothing, or the system does not tell."""
    if (cpus or 0) <= BUSY_SHARE * ours:
        return None
    return f"Other programs kept {cpus:.2f} of {ours} CPUs busy meanwhile: these numbers and verdicts are not to be trusted."


class Others:
    def __init__(self):
        self.begin = time.monotonic()
        self.busy = busy_s()
        self.ours = ours_s()

    def cpus(self):
        """CPUs that others kept busy on average since the start; None where the system does not tell."""
        busy = busy_s()
        if busy is None or self.busy is None:
            return None
        taken = (busy - self.busy) - (ours_s() - self.ours)
        return round(max(0.0, taken / (time.monotonic() - self.begin)), 3)


def busy_s():
    """Seconds that the CPUs of our affinity mask were not idle."""
    mine = {f"cpu{n}" for n in os.sched_getaffinity(0)}
    try:
        with open("/proc/stat", encoding="ascii") as file:
            rows = [line.split() for line in file]
    except OSError:
        return None
    ticks = sum(int(word) for row in rows if row and row[0] in mine
                for field, word in enumerate(row[1:]) if field not in IDLE and field < GUEST)
    return ticks / os.sysconf("SC_CLK_TCK")


def ours_s():
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total
