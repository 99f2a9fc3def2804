"""Two oneTBB libraries in one process: one line that names both, and no line where there is one."""

import support
from support import Case, HERE, compile_cxx, options, run

ABI = HERE.parents[1] / "compat/abi"


class Twins(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "ours").mkdir()
        (self.folder / "theirs").mkdir()
        self.ours = compile_cxx(self.folder / "ours/libtbb.so.12", ABI / "twins.cpp", HERE / "twins_probe.cpp",
                                HERE.parents[1] / "src/machine/environment_linux.cpp",
                                f"-I{ABI}", f"-I{HERE.parents[1]}/include", "-shared", "-fPIC",
                                "-fvisibility=hidden", "-Wl,-soname,libtbb.so.12",
                                std="c++20")
        self.program = self.link("program")

    def link(self, name, *more):
        return compile_cxx(self.folder / name, HERE / "twins_program.cpp", "-Wl,--no-as-needed", self.ours, *more,
                           f"-Wl,-rpath,{self.folder}/ours:{self.folder}/theirs")

    def stub(self, name, *arguments):
        source = self.folder / "stub.cpp"
        source.write_text("int stub() { return 1; }\n")
        return compile_cxx(self.folder / "theirs" / name, source, "-shared", "-fPIC", f"-Wl,-soname,{name}", *arguments)

    def lines(self, program, *libraries, **changes):
        return run(program, *libraries, **changes).stderr.splitlines()

    def assert_warns(self, lines, theirs):
        """Exactly one line of bough's, after the library `theirs` was loaded, with both paths."""
        warnings = [line for line in lines if line.startswith("bough: ")]
        self.assertEqual(len(warnings), 1, lines)
        self.assertIn(f"{self.ours} and {theirs}:", warnings[0])
        self.assertIn("BOUGH_WARN_TWINS=0", warnings[0])

    def test_alone(self):
        self.assertEqual(self.lines(self.program, "-"), ["-- -"])

    def test_there_at_load(self):
        for name in ("libtbb.so.2", "libtbb_debug.so.12", "libtbb-1a2b3c4d.so.12.20"):
            theirs = self.stub(name)
            lines = self.lines(self.link("with_both", theirs), "-")
            self.assert_warns(lines, theirs)
            self.assertTrue(lines[0].startswith("bough: "), lines)  # before main

    def test_loaded_later(self):
        theirs = options.onetbb / "lib/libtbb.so.12"
        lines = self.lines(self.program, "libm.so.6", theirs, "-", self.stub("another.so"))
        self.assert_warns(lines, theirs)
        self.assertEqual(lines[:2], ["-- libm.so.6", f"-- {theirs}"])

    def test_brought_by_a_plugin(self):
        theirs = self.stub("libtbb.so.12.8")
        plugin = self.stub("plugin.so", "-Wl,--no-as-needed", theirs, "-Wl,--disable-new-dtags,-rpath,$ORIGIN")
        self.assert_warns(self.lines(self.program, plugin), theirs)

    def test_same_name_is_the_same_library(self):
        """A plugin that needs libtbb.so.12 gets the one that is there, whatever its run path says."""
        theirs = self.stub("libtbb.so.12")
        plugin = self.stub("plugin.so", "-Wl,--no-as-needed", theirs, "-Wl,--disable-new-dtags,-rpath,$ORIGIN")
        self.assertIn("libtbb.so.12", run("readelf", "-d", plugin).stdout)
        self.assertEqual(self.lines(self.program, plugin), [f"-- {plugin}"])

    def test_no_false_alarm(self):
        names = ("libtbbmalloc.so.2", "libtbbmalloc_proxy.so.2", "libtbbmalloc_debug.so.2", "libtbbbind_2_5.so.3",
                 "libtbb12.so", "libtbb.sox", "libtbb-tools.so", "xlibtbb.so.12")
        harmless = [self.stub(name) for name in names]
        self.assertEqual([line for line in self.lines(self.program, *harmless) if not line.startswith("-- ")], [])

    def test_switched_off(self):
        theirs = self.stub("libtbb.so.2")
        self.assertEqual(self.lines(self.program, theirs, BOUGH_WARN_TWINS="0"), [f"-- {theirs}"])
        self.assert_warns(self.lines(self.program, theirs, BOUGH_WARN_TWINS="1"), theirs)
        lines = self.lines(self.program, theirs, BOUGH_WARN_TWINS="no")
        self.assertIn("bough: BOUGH_WARN_TWINS=no: allowed: 0, 1; 1 is used", lines)

    def test_second_look_is_cheap(self):
        """A look when nothing was loaded must not walk the list of libraries: it asks for one, of 200 as of none."""
        first = self.stub("first.so")
        many = []
        for i in range(200):
            many.append(self.folder / "theirs" / f"lib{i}.so")
            many[-1].write_bytes(first.read_bytes())
        for libraries in ([], many):
            self.assertEqual(run(self.program, *libraries).stdout, "1000 looks, 1000 libraries\n")

    def test_the_real_one_at_load(self):
        """libtbb.so.12 itself, started beside a renamed oneTBB."""
        theirs = self.stub("libtbb-0123abcd.so.12")
        program = compile_cxx(self.folder / "real", HERE / "version.cpp", "-Wl,--no-as-needed", support.library(),
                              theirs, f"-Wl,-rpath,{support.library().parent}:{self.folder}/theirs")
        lines = run(program).stderr.splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(str(theirs), lines[0])
        self.assertIn(str(support.library().parent / "libtbb.so.12"), lines[0])

    def test_the_real_one_at_an_arena(self):
        """A oneTBB that comes by dlopen after libtbb.so.12: seen when the next arena is made."""
        theirs = options.onetbb / "lib/libtbb.so.12"
        source = self.folder / "arena.cpp"
        source.write_text("#include <dlfcn.h>\n#include <tbb/task_arena.h>\n#include <cstdio>\n"
                          "int main(int, char** a) {\n"
                          "    { tbb::task_arena before(1); before.execute([] {}); }\n"
                          '    std::fprintf(stderr, "-- loading\\n");\n'
                          "    if (!dlopen(a[1], RTLD_NOW | RTLD_LOCAL)) return 1;\n"
                          "    tbb::task_arena after(1); after.execute([] {});\n}\n")
        program = compile_cxx(self.folder / "arena", source, f"-I{options.onetbb}/include", support.library(),
                              f"-Wl,-rpath,{support.library().parent}")
        lines = self.lines(program, theirs)
        self.assertEqual(len(lines), 2, lines)
        self.assertEqual(lines[0], "-- loading")
        self.assertIn(f" and {theirs}:", lines[1])


if __name__ == "__main__":
    support.main()
