"""Processes of a run of mpirun, for tests."""

import pathlib


def ranks_of(run):
    """rank -> process, by the environment that the launcher gives each."""
    found = {}
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            variables = dict(v.split("=", 1) for v in (place / "environ").read_text().split("\0") if "=" in v)
        except OSError:  # it has ended
            continue
        rank = variables.get("OMPI_COMM_WORLD_RANK", variables.get("PMI_RANK"))
        if rank is not None and descends_from(int(place.name), run.pid):
            found[int(rank)] = int(place.name)
    return found


def descends_from(process, ancestor):
    while process not in (0, ancestor):
        try:
            process = int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            return False
    return process == ancestor
