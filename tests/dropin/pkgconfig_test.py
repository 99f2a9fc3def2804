"""pkg-config and plain make: from the build tree, and from an installed prefix that was moved."""

import shutil

import support
from cmake_test import install, root_of
from support import Case, HERE, options, run


class Make(Case):
    def make(self, target, std, **variables):
        run("make", "-f", HERE / "makefile/Makefile", f"SOURCES={HERE}", f"CXX={options.cxx}", f"STD={std}", target,
            cwd=self.folder, timeout=300, **variables)
        return self.folder / target

    def moved_root(self):
        install(self.folder / "before")
        return root_of(shutil.move(self.folder / "before", self.folder / "after"))

    def test_version(self):
        path = options.build / "compat/lib/pkgconfig"
        self.assertEqual(run("pkg-config", "--modversion", "tbb", PKG_CONFIG_PATH=path).stdout, "2023.2.0\n")
        run("pkg-config", "--atleast-version=2021.5", "tbb", PKG_CONFIG_PATH=path)
        run("pkg-config", "--atleast-version=2023.3", "tbb", PKG_CONFIG_PATH=path, status=1)

    def test_build_tree(self):
        program = self.make("program", "c++17", PKG_CONFIG_PATH=options.build / "compat/lib/pkgconfig")
        self.assert_runs_on(run(program), support.library())

    def test_moved_prefix(self):
        root = self.moved_root()
        program = self.make("program", "c++14", PKG_CONFIG_PATH=root / "lib/pkgconfig")
        self.assert_runs_on(run(program), root / "lib" / support.library().name)

    def test_tbbroot_and_ltbb_alone(self):
        """-ltbb alone links libbough.so too; the place is told at run time as for any TBBROOT."""
        root = self.moved_root()
        program = self.make("by_root", "c++17", TBBROOT=root)
        self.assert_runs_on(run(program, LD_LIBRARY_PATH=root / "lib"), root / "lib" / support.library().name)


if __name__ == "__main__":
    support.main()
