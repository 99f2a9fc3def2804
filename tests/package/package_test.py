"""Every way in which another project gets bough, each in a clean folder: installed, as a part of its build, pkg-config."""

import pathlib
import re
import shutil
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "dropin"))
import support  # noqa: E402  (the path comes first)
from cmake_test import install  # noqa: E402
from support import Case, options, run  # noqa: E402

ROOT = HERE.parents[1]


def cached(name):
    """A value of bough's own build: with the same ones ccache has every object already."""
    found = re.search(rf"^{name}:\w+=(.*)$", (options.build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else ""


class Package(Case):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        if cached("CMAKE_CXX_COMPILER_LAUNCHER"):
            # Beside bough's own build: ccache may know its objects by paths relative to that folder (CCACHE_BASEDIR).
            self.out = pathlib.Path(tempfile.mkdtemp(prefix=f"{options.build.name}-package-", dir=options.build.parent))
            self.addCleanup(shutil.rmtree, self.out, ignore_errors=True)

    def configure(self, way, *definitions):
        """What the project printed, as {name: value}."""
        done = run("cmake", "-G", "Ninja", "-S", HERE / "outside", "-B", self.out, f"-DWAY={way}",
                   f"-DBOUGH={ROOT}", f"-DCMAKE_CXX_COMPILER={options.cxx}", *definitions)
        return dict(re.findall(r"^-- ([\w \-]+)=(.*)$", done.stdout, re.MULTILINE))

    def configure_like_bough(self, way):
        return self.configure(way, *(f"-D{name}={cached(name)}" for name in (
            "CMAKE_BUILD_TYPE", "CMAKE_CXX_FLAGS", "CMAKE_CXX_COMPILER_LAUNCHER", "BOUGH_WERROR")))

    def build(self, *targets):
        run("cmake", "--build", self.out, "-j", "2", "--target", *targets, timeout=800)

    def check(self, program, library):
        """`library`: where the one library of bough lies that may be mapped; None: the program has bough in itself."""
        said = support.facts(run(program).stdout)
        self.assertEqual(said["sum"], ["5050"])
        self.assertEqual(said.get("mapped", []), [str(library.resolve())] if library else [])

    def check_left_alone(self, said):
        for name in ("COMPILE_OPTIONS", "COMPILE_DEFINITIONS", "LINK_OPTIONS", "INCLUDE_DIRECTORIES",
                     "CMAKE_CXX_STANDARD", "CMAKE_RUNTIME_OUTPUT_DIRECTORY"):
            self.assertEqual(said[name], "", name)
        for target in ("target bough-calibrate", "target bough_unit_tests"):
            self.assertNotIn(target, said)


class FindPackage(Package):
    def test_installed(self):
        prefix = install(self.folder / "prefix")
        self.check_left_alone(self.configure("find_package", f"-DCMAKE_PREFIX_PATH={prefix}"))
        self.build("native", "native_static")
        [package] = prefix.glob("lib*/**/BoughConfig.cmake")
        self.check(self.out / "native", package.parents[2] / "libbough.so.0")
        self.check(self.out / "native_static", None)


class AddSubdirectory(Package):
    def test_libraries_alone(self):
        said = self.configure_like_bough("add_subdirectory")
        self.check_left_alone(said)
        self.assertNotIn("target bough_tbb", said)
        self.build("native", "native_static")
        self.check(self.out / "native", self.out / "bough/lib/libbough.so.0")
        self.check(self.out / "native_static", None)
        run("cmake", "--install", self.out, "--prefix", self.folder / "prefix")
        self.assertFalse((self.folder / "prefix").exists())


class FetchContent(Package):
    def test_find_package_is_overridden(self):
        """Configured only: what it builds is what add_subdirectory builds. Without a build type, as CMake's default is."""
        said = self.configure("fetch_content")
        self.check_left_alone(said)
        self.assertEqual(said["CMAKE_BUILD_TYPE"], "")
        self.assertFalse((self.out / "compile_commands.json").exists())


class FetchContentAsTbb(Package):
    def test_find_package_is_overridden(self):
        said = self.configure_like_bough("fetch_content_as_tbb")
        self.check_left_alone(said)
        self.assertEqual(said["TBB_VERSION"], "2023.2.0")
        self.assertEqual(said["TBB_IMPORTED_TARGETS"], "TBB::tbb;TBB::tbbmalloc")
        self.build("program")
        library = self.out / "_deps/tbb-build/compat/lib/libtbb.so.12"
        self.assert_runs_on(run(self.out / "program"), library.resolve())


class PkgConfig(Package):
    def setUp(self):
        super().setUp()
        # Moved after it is installed: no file may name the first place.
        install(self.folder / "before")
        self.prefix = (self.folder / "before").rename(self.folder / "after")
        [self.file] = self.prefix.glob("lib*/**/bough.pc")
        self.object = support.compile_cxx(self.folder / "native.o", "-c", HERE / "outside/native.cpp",
                                          *self.flags("--cflags"))

    def flags(self, *wanted):
        return run("pkg-config", *wanted, "bough", PKG_CONFIG_PATH=self.file.parent).stdout.split()

    def link(self, *arguments):
        return support.compile_cxx(self.folder / "native", self.object, *arguments)

    def test_shared(self):
        self.check(self.link(*self.flags("--libs")), self.file.parents[1] / "libbough.so.0")

    def test_static_program(self):
        """hwloc's archive wants libudev, of which Debian has no archive: one without devices stands in."""
        names = ("udev_new", "udev_unref", "udev_device_new_from_subsystem_sysname", "udev_device_new_from_devnum",
                 "udev_device_get_property_value", "udev_device_unref")
        source = self.folder / "udev.cpp"
        source.write_text("".join(f'extern "C" void* {name}() {{ return nullptr; }}\n' for name in names))
        support.compile_cxx(self.folder / "udev.o", "-c", source)
        run("ar", "rcs", self.folder / "libudev.a", self.folder / "udev.o")
        program = self.link("-static", *self.flags("--static", "--libs"), f"-L{self.folder}")
        self.assertNotIn("(NEEDED)", run("readelf", "-d", program).stdout)
        self.check(program, None)

    def test_static_library_in_a_dynamic_program(self):
        [library] = self.flags("--variable=libdir")
        self.check(self.link(f"{library}/libbough.a", "-lhwloc", "-pthread"), None)


if __name__ == "__main__":
    support.main()
