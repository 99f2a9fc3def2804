"""The programs: what they need, which version is there, and their cases, in a small (--quick) and a normal size."""

import dataclasses
import pathlib
import shutil
import subprocess
import sys
import typing

import answers
import inputs

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Place:
    """Where things lie, and how much to do."""
    build: pathlib.Path
    onetbb: pathlib.Path
    work: pathlib.Path
    cxx: str
    quick: bool

    def size(self, quick, normal):
        return quick if self.quick else normal

    @property
    def venv_python(self):
        return self.build / "numba-venv/bin/python3"


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    argv: list
    answer: typing.Callable
    inputs: tuple = ()  # linked into the folder in which it runs
    variables: dict = dataclasses.field(default_factory=dict)
    prints_seconds: bool = False  # times itself, on stderr: its start does not count
    limit_s: int = 300


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    package: str
    absent: typing.Callable  # Place -> why it cannot run, or None
    version: typing.Callable  # Place -> text
    cases: typing.Callable  # Place -> [Case]


def needs(*commands):
    def absent(_):
        missing = [c for c in commands if not shutil.which(c)]
        return f"no {', '.join(missing)}" if missing else None
    return absent


def packaged(package):
    def version(_):
        done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True,
                              check=False)
        return f"{package} {done.stdout.strip() or '(version unknown)'}"
    return version


def first_line(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def std_par(place):
    program = place.work / "std_par"
    subprocess.run([place.cxx, "-O2", "-std=c++17", "-o", program, HERE / "std_par.cpp", "-I", place.onetbb / "include",
                    "-L", place.onetbb / "lib", "-ltbb"], check=True, timeout=300)
    n = place.size(300_000, 2_000_000)
    return [Case(what, [program, what, n, repetitions], answers.stdout, prints_seconds=True)
            for what, repetitions in (("sort", 5), ("reduce", 300), ("transform_scan", 20), ("for_each", 40),
                                      ("transform_reduce", 40), ("inclusive_scan", 50))]


def late_load(place):
    plugin = place.work / "late_load.so"
    subprocess.run([place.cxx, "-shared", "-fPIC", "-O1", "-o", plugin, HERE / "late_load.cpp"], check=True,
                   timeout=120)
    return [Case("dlopen", [sys.executable, HERE / "late_load.py", plugin], answers.stdout)]


def numba_python(place):
    """A python with numba and its tbb layer: the build tree's own, or the system's."""
    for python in (place.venv_python, "/usr/bin/python3", sys.executable):
        if shutil.which(str(python)) and subprocess.run(
                [str(python), "-c", "import numba.np.ufunc.tbbpool"], capture_output=True, check=False,
                env={"LD_LIBRARY_PATH": str(place.onetbb / "lib")}).returncode == 0:
            return python
    return None


def numba(place):
    python = numba_python(place)
    layer = {"NUMBA_THREADING_LAYER": "tbb", "NUMBA_CACHE_DIR": str(place.work / "numba-cache")}
    return [Case(what, [python, HERE / "numba_loops.py", what, n, repetitions], answers.stdout, variables=layer,
                 prints_seconds=True, limit_s=600)
            for what, n, repetitions in (("sum", place.size(500, 1500), 30), ("nested", place.size(200, 800), 20),
                                         ("guvectorize", place.size(300, 1000), 20))]


def flexbar(place):
    reads = inputs.reads(place.work / "reads.fq", place.size(2000, 20_000))
    common = ["flexbar", "-r", reads, "-a", inputs.adapters(place.work / "adapters.fa"), "-t", "out"]
    return [Case("trim", [*common, "-n", "2", "-q", "TAIL", "-qf", "sanger"], answers.files("out.fastq")),
            Case("log", [*common, "-n", "4", "-l", "TAB", "-ae", "0.2"], answers.files("out.fastq"))]


def twopaco(place):
    k = 25
    genomes = inputs.genomes(place.work / "genomes.fa", 3, place.size(30_000, 300_000))
    return [Case(f"threads_{n}", ["twopaco", "-f", "22", "-k", k, "-t", n, "--tmpdir", ".", "-o", "graph.bin", genomes],
                 answers.junctions("graph.bin", genomes, k)) for n in (2, 4)]


def mathicgb(place):
    system = inputs.katsura(place.work / "katsura.ideal", place.size(8, 10))
    common = ["mgb", "gb", "katsura", "-outputResult", "on", "-threadCount"]
    return [Case(name, [*common, threads, "-reducer", reducer], answers.files("katsura.gb"), inputs=(system,))
            for name, threads, reducer in (("f4_new", 2, 26), ("f4_new_threads_0", 0, 26), ("f4_old", 2, 25))]


def embree(place):
    width, height = place.size((160, 120), (640, 480))
    images = [Case(name, [name, "-o", "image.ppm", "--size", width, height], answers.files("image.ppm"))
              for name in ("triangle_geometry", "dynamic_scene", "subdivision_geometry", "displacement_geometry",
                           "lazy_geometry", "closest_point", "collide", "intersection_filter", "next_hit")]
    verify = ["embree_verify", "--no-colors", "--intensity", place.size("0.02", "0.05"), "--run"]
    return [*images, *(Case(f"verify_{name}", [*verify, rf".*SSE2\.{name}.*"], answers.verdicts)
                       for name in ("build", "regression_static", "regression_dynamic"))]


def openvdb(place):
    sphere = place.work / "sphere.vdb"
    subprocess.run(["vdb_tool", "-quiet", "-sphere", f"dim={place.size(48, 96)}", "-write", str(sphere)], check=True,
                   timeout=120)
    tool = ["vdb_tool", "-quiet"]
    width = place.size(160, 640)
    return [
        Case("print", ["vdb_print", "-l", sphere], answers.stdout),
        Case("lod", ["vdb_lod", sphere, "out.vdb", "-range", "0-2"], answers.vdb("out.vdb")),
        Case("render", ["vdb_render", sphere, "out.ppm", "-res", f"{width}x{width * 3 // 4}", "-translate", "0,0,4"],
             answers.files("out.ppm")),
        Case("advect", [*tool, "-read", sphere, "-enright", "dt=0.02", "-write", "out.vdb"], answers.vdb("out.vdb")),
        Case("filter", [*tool, "-read", sphere, "-mean", "-gauss", "-dilate", "-write", "out.vdb"],
             answers.vdb("out.vdb")),
        Case("mesh", [*tool, "-read", sphere, "-ls2mesh", "adapt=0.1", "-write", "out.ply"], answers.files("out.ply")),
    ]


PROGRAMS = (
    Program("std_par", "g++", lambda place: needs(place.cxx)(place), lambda place: first_line(place.cxx, "--version"),
            std_par),
    Program("late_load", "g++", lambda place: needs(place.cxx)(place),
            lambda place: first_line(place.cxx, "--version"), late_load),
    Program("numba", "python3-numba (Debian) or numba (pip)",
            lambda place: None if numba_python(place) else "no python with numba.np.ufunc.tbbpool",
            lambda place: first_line(numba_python(place), "-c", "import numba; print('numba', numba.__version__)"),
            numba),
    Program("flexbar", "flexbar", needs("flexbar"), packaged("flexbar"), flexbar),
    Program("twopaco", "twopaco", needs("twopaco", "graphdump"), packaged("twopaco"), twopaco),
    Program("mathicgb", "mathicgb", needs("mgb"), packaged("mathicgb"), mathicgb),
    Program("embree", "embree-tools", needs("dynamic_scene", "embree_verify"), packaged("embree-tools"), embree),
    Program("openvdb", "libopenvdb-tools", needs("vdb_print", "vdb_lod", "vdb_render", "vdb_tool"),
            packaged("libopenvdb-tools"), openvdb),
)


def install(place, wanted):
    """Debian's packages, and numba into a virtual environment in the build tree."""
    packages = [p.package for p in wanted if " " not in p.package and p.absent(place)]
    if packages:
        root = [] if shutil.which("id") and first_line("id", "-u") == "0" else ["sudo"]
        subprocess.run([*root, "apt-get", "install", "-y", "--no-install-recommends", *packages], check=False)
    if any(p.cases is numba for p in wanted) and not numba_python(place):
        folder = place.venv_python.parent.parent
        subprocess.run([sys.executable, "-m", "venv", folder], check=False)
        subprocess.run([place.venv_python, "-m", "pip", "install", "-q", "numba"], check=False)
