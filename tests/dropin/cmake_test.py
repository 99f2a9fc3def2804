"""find_package(TBB) of an unchanged project: from the build tree, installed, and from a prefix that was moved."""

import re
import shutil
import unittest

import support
from support import Case, HERE, options, run


def install(prefix):
    run("cmake", "--install", options.build, "--prefix", prefix)
    return prefix


def installed_library(prefix):
    found = list(prefix.glob("lib*/**/bough-tbb/lib/libtbb.so.12"))
    assert len(found) == 1, found
    return found[0].resolve()


def root_of(prefix):
    return installed_library(prefix).parents[1]


class Project(Case):
    def build(self, std, kind, *definitions, **variables):
        folder = self.folder / "out"
        run("cmake", "-S", HERE / "project", "-B", folder, f"-DCMAKE_CXX_STANDARD={std}", f"-DCMAKE_BUILD_TYPE={kind}",
            f"-DCMAKE_CXX_COMPILER={options.cxx}", *definitions, **variables)
        run("cmake", "--build", folder, timeout=300, **variables)
        return folder

    def check(self, folder, libtbb, tbbmalloc):
        """tbbmalloc: the one file of that library that may be mapped."""
        self.assert_runs_on(run(folder / "program"), libtbb)
        done = run(folder / "allocates")
        self.assert_runs_on(done, libtbb, computed=False)
        said = support.facts(done.stdout)
        self.assertEqual(said["allocated"], ["1"])
        self.assertIn(str(tbbmalloc), said["mapped"])

    def overrides_used(self, program):
        return "bough" in run("nm", "-DC", "--undefined-only", program).stdout

    def test_build_tree(self):
        folder = self.build(17, "Release", f"-DTBB_DIR={options.build}/compat/cmake")
        self.check(folder, support.library(), support.library("libtbbmalloc.so.2"))
        self.assertTrue(self.overrides_used(folder / "program"))

    def test_installed_as_prefix_path(self):
        root = root_of(install(self.folder / "prefix"))
        folder = self.build(20, "Debug", f"-DCMAKE_PREFIX_PATH={root}")
        self.check(folder, root / "lib" / support.library().name, root / "lib/libtbbmalloc.so.2")
        self.assertTrue(self.overrides_used(folder / "program"))

    def test_moved_prefix_with_a_space_and_cxx11(self):
        install(self.folder / "before")
        moved = self.folder / "moved here"
        shutil.move(self.folder / "before", moved)
        root = root_of(moved)
        folder = self.build(11, "Release", f"-DTBB_DIR={root}/lib/cmake/tbb")
        self.check(folder, root / "lib" / support.library().name, root / "lib/libtbbmalloc.so.2")
        self.assertFalse(self.overrides_used(folder / "program"))

    def test_nobody_gets_it_unasked(self):
        """The prefix itself in CMAKE_PREFIX_PATH, as for find_package(Bough), must not bring bough's TBB."""
        prefix = install(self.folder / "prefix")
        done = run("cmake", "-S", HERE / "queries", "-B", self.folder / "out", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.assertIn("TBB_FOUND=", done.stdout)
        self.assertNotIn(str(prefix), done.stdout)

    def test_installed_tree_names_no_other_place(self):
        """Text files with a path of the build or source tree, and links that leave the prefix, would not move."""
        prefix = install(self.folder / "prefix")
        root = root_of(prefix)
        for path in sorted(root.rglob("*")):
            if path.is_symlink():
                self.assertTrue(path.resolve().is_relative_to(prefix), path)
                self.assertTrue(path.exists(), path)
            elif path.is_file() and path.suffix in (".cmake", ".pc", ".so"):
                text = path.read_bytes()
                for place in (str(options.build), str(HERE.parents[1]), str(prefix)):
                    if not text.startswith(b"\x7fELF"):
                        self.assertNotIn(place.encode(), text, path)
        dynamic = run("readelf", "-d", installed_library(prefix)).stdout
        self.assertEqual(re.findall(r"RUNPATH.*\[(.*)\]", dynamic), ["$ORIGIN:$ORIGIN/../.."])


class Queries(Case):
    def ask(self, words, status=0):
        done = run("cmake", "-S", HERE / "queries", "-B", self.folder / "out",
                   f"-DTBB_DIR={options.build}/compat/cmake", f"-DASK={words.replace(' ', ';')}", status=status)
        said = dict(re.findall(r"^-- ([\w.]+)=(.*)$", done.stdout, re.MULTILINE))
        return said if status == 0 else done.stderr

    def test_plain(self):
        said = self.ask("REQUIRED")
        self.assertEqual(said["TBB_FOUND"], "1")
        self.assertEqual(said["TBB_VERSION"], "2023.2.0")
        self.assertEqual(said["TBB_tbb_FOUND"], "1")
        self.assertIn("TBB::tbb;", said["TBB_IMPORTED_TARGETS"] + ";")
        self.assertEqual(said["tbb.INTERFACE_INCLUDE_DIRECTORIES"], str(options.build / "compat/include"))

    def test_components(self):
        said = self.ask("2021 REQUIRED COMPONENTS tbb")
        self.assertEqual(said["TBB_IMPORTED_TARGETS"], "TBB::tbb")
        self.assertEqual(said["TBB_tbbmalloc_FOUND"], "")

    def test_proxy_brings_malloc(self):
        if not (options.onetbb / "lib/libtbbmalloc_proxy.so.2").exists():
            self.skipTest("this oneTBB has no tbbmalloc_proxy")
        said = self.ask("REQUIRED COMPONENTS tbbmalloc_proxy")
        self.assertEqual(said["TBB_tbbmalloc_FOUND"], "1")
        self.assertEqual(said["tbbmalloc_proxy.INTERFACE_LINK_LIBRARIES"], "TBB::tbbmalloc")

    def test_versions(self):
        for words in ("4.4 REQUIRED", "2021.5 REQUIRED", "2023.2 REQUIRED", "2023.2.0 EXACT REQUIRED"):
            self.assertEqual(self.ask(words)["TBB_FOUND"], "1", words)
        for words in ("2023.3 REQUIRED", "2024 REQUIRED", "2021.5 EXACT REQUIRED"):
            self.assertIn("2023.2.0", self.ask(words, status=1), words)

    def test_unknown_component(self):
        self.assertIn("no component nonsense", self.ask("REQUIRED COMPONENTS tbb nonsense", status=1))
        said = self.ask("COMPONENTS tbb nonsense")
        self.assertEqual((said["TBB_FOUND"], said["TBB_nonsense_FOUND"]), ("1", "0"))  # as oneTBB's own
        said = self.ask("REQUIRED COMPONENTS tbb OPTIONAL_COMPONENTS nonsense")
        self.assertEqual((said["TBB_FOUND"], said["TBB_nonsense_FOUND"]), ("1", "0"))

    def test_same_as_onetbb(self):
        """Whatever oneTBB's own file says to the same question, bough's says too, but for the places."""
        theirs = options.onetbb / "lib/cmake/tbb"
        if not theirs.exists():
            self.skipTest("this oneTBB has no TBBConfig.cmake")
        for words in ("REQUIRED", "2021.5 COMPONENTS tbb tbbmalloc", "COMPONENTS tbbmalloc_proxy",
                      "QUIET COMPONENTS tbbbind", "COMPONENTS tbb OPTIONAL_COMPONENTS nonsense",
                      "COMPONENTS tbb nonsense"):
            done = run("cmake", "-S", HERE / "queries", "-B", self.folder / "theirs", f"-DTBB_DIR={theirs}",
                       f"-DASK={words.replace(' ', ';')}")
            expected = dict(re.findall(r"^-- (TBB_\w+)=(.*)$", done.stdout, re.MULTILINE))
            said = {k: v for k, v in self.ask(words).items() if k.startswith("TBB_")}
            for answers in (expected, said):
                answers["TBB_IMPORTED_TARGETS"] = sorted(answers["TBB_IMPORTED_TARGETS"].split(";"))
            self.assertEqual(said, expected, words)


if __name__ == "__main__":
    support.main()
