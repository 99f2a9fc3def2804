"""bough-run: what it starts, and what it refuses with one line and which status."""

import json
import os
import shutil
import struct
import sys
import unittest

import support
from cmake_test import install, installed_library
from support import Case, HERE, compile_cxx, launcher, options, run


class Launch(Case):
    def prebuilt(self, name, *link, source="version.cpp", std="c++17"):
        """A program linked with the real oneTBB, which knows nothing of bough."""
        onetbb = options.onetbb
        return compile_cxx(self.folder / name, HERE / source, f"-I{onetbb}/include", *(link or (
            f"-L{onetbb}/lib", "-ltbb", f"-Wl,-rpath,{onetbb}/lib")), std=std)

    def stub(self, file_name, soname):
        """A library that has the two version functions, under whatever name."""
        source = self.folder / "stub.cpp"
        source.write_text('extern "C" int TBB_runtime_interface_version() { return 1; }\n'
                          'extern "C" const char* TBB_runtime_version() { return "stub"; }\n')
        return compile_cxx(self.folder / file_name, source, "-shared", "-fPIC",
                           *((f"-Wl,-soname,{soname}",) if soname else ()))

    def script(self, text, name="script"):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def refused(self, status, reason, *arguments, **changes):
        done = run(launcher(), *arguments, status=status, **changes)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("bough-run: "), done.stderr)
        self.assertIn(reason, done.stderr)

    def on_bough(self, *command, computed=False, **changes):
        done = run(*command, **changes)
        self.assertEqual(done.stderr, "")
        self.assert_runs_on(done, support.library(), computed)
        return support.facts(done.stdout)


class Options(Launch):
    def test_help(self):
        help_text = run(launcher(), "--help").stdout
        self.assertIn("usage: bough-run", help_text)
        self.assertIn("channels", help_text)

    def test_version(self):
        done = run(launcher(), "--version").stdout
        self.assertRegex(done, r"^bough-run \d+\.\d+\.\d+, /.*/libtbb\.so\.12\n$")

    def test_wrong_calls(self):
        self.refused(125, "no program named")
        self.refused(125, "no program named", "--force")
        self.refused(125, "--variant wants a name", "--variant")
        self.refused(125, "--variant deque: allowed are chase-lev mutex abp split ", "--variant", "deque", "/bin/true")
        self.refused(125, "--variant /bin/true: allowed are chase-lev ", "--variant", "/bin/true", "no_such_argument")
        for form, settings in (("classic", "BOUGH_DISTRIBUTE=steal BOUGH_GATE=off BOUGH_MAIL=off"),
                               ("thieves", "BOUGH_THIEVES=all"), ("letters", "BOUGH_MAIL=letters")):
            self.refused(125, f"--variant {form}: no variant, but settings: ", "--variant", form, "/bin/true")
            self.refused(125, f"{settings} bough-run PROGRAM", "--variant", form, "/bin/true")
        self.refused(126, "does not use oneTBB", "--variant=abp", "/bin/true")
        self.refused(125, "--forse: unknown option", "--forse", "true")


class Version(Launch):
    def test_tbb_version_is_answered_as_by_onetbb(self):
        source = self.folder / "asks.cpp"
        source.write_text("#include <tbb/task_group.h>\nint main() { tbb::task_group().run_and_wait([] {}); }\n")
        program = self.prebuilt("asks", source=source)
        for value, is_on in (("1", True), (" 1 ", True), ("0", False), ("10", False), ("", False)):
            theirs, ours = (self.lines(*command, TBB_VERSION=value) for command in ((program,), (launcher(), program)))
            self.assertEqual(len(theirs), 6 if is_on else 0, theirs)
            self.assertEqual(ours, theirs + ([f"oneTBB: RUNTIME\t\tbough {self.version()}"] if is_on else []))

    def lines(self, *command, **changes):
        """But for those of its allocator's library, which our libtbb.so.12 does not load itself."""
        return [line for line in run(*command, **changes).stderr.splitlines() if not line.startswith("TBBmalloc: ")]

    def version(self):
        return run(launcher(), "--version").stdout.split()[1].rstrip(",")


class Allocator(Launch):
    def test_tbbmalloc_is_taken_by_an_absolute_path_only(self):
        """A relative one leads elsewhere once the program has changed its working directory."""
        source = self.folder / "allocates.cpp"
        source.write_text(f'#include "{HERE}/mapped.h"\n#include <tbb/cache_aligned_allocator.h>\n#include <vector>\n'
                          'int main() { std::vector<int, tbb::cache_aligned_allocator<int>> v(100); print_mapped(); }\n')
        program = self.prebuilt("allocates", source=source)
        (self.folder / "lib").mkdir()
        for name in ("libtbb.so.12", "libbough.so.0", "libtbbmalloc.so.2"):
            shutil.copy(support.library(name), self.folder / "lib" / name)

        def mapped(folder):
            done = run(program, cwd=self.folder, LD_LIBRARY_PATH=folder)
            return [os.path.basename(m) for m in support.facts(done.stdout)["mapped"]]
        self.assertIn("libtbbmalloc.so.2", mapped(self.folder / "lib"))
        self.assertEqual(mapped("lib"), ["libbough.so.0", "libtbb.so.12"])


class Refused(Launch):
    def test_does_not_exist(self):
        self.refused(127, "no_such_program", "no_such_program")
        self.refused(127, "No such file", self.folder / "nothing")
        self.refused(127, "Not a directory", self.prebuilt("program") / "below")

    def test_not_executable(self):
        plain = self.script("#!/bin/sh\n")
        plain.chmod(0o644)
        self.refused(126, "is not executable", plain)
        self.refused(126, "script: is not executable", "script", PATH=self.folder)
        self.refused(126, "is a folder", self.folder)

    def test_no_program(self):
        self.refused(126, "neither a program nor a script", self.script("hello\n"))
        self.refused(126, "neither a program nor a script", self.script(""))
        self.refused(126, "names no interpreter", self.script("#!  \n"))

    def test_static(self):
        for kind in ("-static", "-static-pie"):
            source = self.folder / "empty.cpp"
            source.write_text("int main() {}\n")
            self.refused(126, "statically linked", "--force", compile_cxx(self.folder / "static", source, kind))

    def test_damaged(self):
        whole = self.prebuilt("program").read_bytes()
        for size in (10, 64, 100):
            cut = self.script("", name="cut")
            cut.write_bytes(whole[:size])
            self.refused(126, "cut: is ", cut)

    def test_other_machine(self):
        other = bytearray(self.prebuilt("program").read_bytes())
        struct.pack_into("<H", other, 18, 243)  # RISC-V
        path = self.script("", name="other")
        path.write_bytes(other)
        self.refused(126, "another machine", path)

    def test_other_loader(self):
        program = self.prebuilt("program", f"-L{options.onetbb}/lib", "-ltbb", "-Wl,--dynamic-linker=/lib/ld-musl.so.1")
        self.refused(126, "not by glibc's loader", program)

    @unittest.skipUnless(os.getuid() == 0, "only root can give a program to someone else")
    def test_rights(self):
        for mode, word in ((0o4755, "setuid"), (0o2755, "setgid")):
            program = self.prebuilt("program")
            os.chown(program, 65534, 65534)
            program.chmod(mode)
            self.refused(126, f"is {word}", program)
            self.refused(126, f"is {word}", self.script(f"#!{program}\n"))

    def test_no_onetbb(self):
        source = self.folder / "empty.cpp"
        source.write_text("int main() { return 5; }\n")
        program = compile_cxx(self.folder / "without", source)
        self.refused(126, "does not use oneTBB", program)
        run(launcher(), "--force", program, status=5)
        run(launcher(), "--force", "--", program, status=5)

    def test_older_tbb(self):
        program = self.prebuilt("program", self.stub("libtbb.so.2", "libtbb.so.2"))
        self.refused(126, "libtbb.so.2, the TBB before oneTBB", program, LD_LIBRARY_PATH=self.folder)
        self.refused(126, "libtbb.so.2, the TBB before oneTBB", program)  # and it cannot be found

    def test_debug_library(self):
        program = self.prebuilt("program", self.stub("libtbb_debug.so.12", "libtbb_debug.so.12"))
        self.refused(126, "libtbb_debug.so.12", program, LD_LIBRARY_PATH=self.folder)

    def test_named_by_path(self):
        """NEEDED with a slash: the loader goes there whatever is preloaded."""
        stub = self.stub("libtbb.so.12", None)
        self.refused(126, str(stub), self.prebuilt("program", stub))

    def test_own_libraries_unfit_for_bough(self):
        """The program brings a hwloc in which libbough.so misses what it calls."""
        script = self.folder / "hwloc.cpp"
        script.write_text('extern "C" int own() { return 0; }\n')
        own = compile_cxx(self.folder / "libhwloc.so.15", script, "-shared", "-fPIC", "-Wl,-soname,libhwloc.so.15")
        lib = options.onetbb / "lib"
        program = self.prebuilt("program", "-Wl,--no-as-needed", own, f"-L{lib}", "-ltbb",
                                f"-Wl,-rpath,{self.folder}:{lib}")
        run(program)
        self.refused(126, "undefined symbol: hwloc_", program)

    def test_entry_point_missing(self):
        """A program that calls what no oneTBB of this version has; its own library has it."""
        source = self.folder / "newer.cpp"
        source.write_text('extern "C" int TBB_runtime_interface_version() { return 0; }\n'
                          'extern "C" const char* TBB_runtime_version() { return ""; }\n'
                          'extern "C" int TBB_of_the_future() { return 0; }\n')
        newer = compile_cxx(self.folder / "libtbb.so.12", source, "-shared", "-fPIC", "-Wl,-soname,libtbb.so.12")
        source.write_text('extern "C" int TBB_of_the_future();\nint main() { return TBB_of_the_future(); }\n')
        program = compile_cxx(self.folder / "program", source, newer, f"-Wl,-rpath,{self.folder}")
        run(program)
        self.refused(126, "undefined symbol: TBB_of_the_future", program)

    def test_interpreter_missing(self):
        self.refused(127, "interpreter: /no/such", self.script("#!/no/such\n"))
        self.refused(127, "no_such_program", self.script("#!/usr/bin/env no_such_program\n"))
        self.script("#!{0}/loop\n".format(self.folder), name="loop")
        self.refused(126, "too deep", self.folder / "loop")

    def test_library_is_missing(self):
        alone = shutil.copy(launcher(), self.folder / "bough-run")
        done = run(alone, self.prebuilt("program"), status=125)
        self.assertIn("no libtbb.so.12 in its place", done.stderr)


class Variant(Launch):
    """The library of a variant is the one libbough.so.0 that is mapped."""

    def said(self, variant, program, **changes):
        done = run(launcher(), "--variant", variant, program, BOUGH_PRINT="1", **changes)
        return [line.split()[2] for line in done.stderr.splitlines() if line.startswith("bough: queue ")]

    def test_by_an_unmodified_program(self):
        program = self.prebuilt("program", source="program.cpp")
        for variant in ("chase-lev", "abp", "split-signal"):
            self.assertEqual(self.said(variant, program), [variant])

    def test_not_installed(self):
        (self.folder / "bin").mkdir()
        alone = shutil.copy(launcher(), self.folder / "bin/bough-run")
        (self.folder / "compat").symlink_to(options.build / "compat")
        done = run(alone, "--variant", "split", self.prebuilt("program"), status=125)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("./dev install --prefix DIR --variants", done.stderr)


class Started(Launch):
    def test_run_path(self):
        program = self.prebuilt("program")
        self.assertIn(str((options.onetbb / "lib/libtbb.so.12").resolve()), run(program).stdout)  # without bough-run
        self.on_bough(launcher(), program)

    def test_old_rpath(self):
        """DT_RPATH beats LD_LIBRARY_PATH, but not what is already loaded."""
        lib = options.onetbb / "lib"
        program = self.prebuilt("program", f"-L{lib}", "-ltbb", f"-Wl,-rpath,{lib}", "-Wl,--disable-new-dtags")
        self.assertIn("(RPATH)", run("readelf", "-d", program).stdout)
        self.on_bough(launcher(), program)

    def test_found_nowhere_else(self):
        program = self.prebuilt("program", self.stub("libtbb.so.12", "libtbb.so.12"))
        self.on_bough(launcher(), program)

    def test_by_a_library(self):
        source = self.folder / "plugin.cpp"
        source.write_text('extern "C" int TBB_runtime_interface_version();\n'
                          "int plugin() { return TBB_runtime_interface_version(); }\n")
        lib = options.onetbb / "lib"
        plugin = compile_cxx(self.folder / "libplugin.so", source, "-shared", "-fPIC", f"-L{lib}", "-ltbb",
                             f"-Wl,-rpath,{lib}")
        source.write_text(f'#include "{HERE}/mapped.h"\nint plugin();\n'
                          'int main() { std::cout << "runtime 2023.2.0 " << plugin() << "\\n"; print_mapped(); }\n')
        program = compile_cxx(self.folder / "program", source, plugin)
        self.assertNotIn("libtbb", run("readelf", "-d", program).stdout)
        self.on_bough(launcher(), program)

    def test_arguments_and_status(self):
        program = self.prebuilt("program")
        said = support.facts(run(launcher(), program, "fail", "--force", "", "a b", status=3).stdout)
        self.assertEqual(said["argument"], ["fail", "--force", "", "a b"])

    def test_from_path(self):
        self.prebuilt("found_in_path")
        self.on_bough(launcher(), "found_in_path", PATH=f"/nowhere:{self.folder}:{os.environ['PATH']}")

    def test_other_preloads_stay(self):
        other = self.stub("libother.so", "libother.so")
        done = run(launcher(), self.script("#!/bin/sh\necho \"preload $LD_PRELOAD\"\n"), LD_PRELOAD=other)
        said = support.facts(done.stdout)["preload"][0].split(":")
        self.assertEqual([os.path.realpath(p) for p in said], [str(support.library()), str(other)])

    def test_scripts(self):
        program = self.prebuilt("program")
        script = self.script(f"#!{program}\n")
        self.on_bough(launcher(), script)
        self.on_bough(launcher(), self.script(f"#!{script}\n", name="script_of_a_script"))
        self.on_bough(launcher(), self.script(f"#!/bin/sh\nexec {program}\n"))
        self.on_bough(launcher(), self.script(f"#!/usr/bin/env -S A=1 sh\nexec {program}\n"))

    def test_python(self):
        """Loads libtbb.so.12 by name, as numba does; nothing in python itself names it."""
        code = ("import ctypes\n"
                "print('runtime 2023.2.0', ctypes.CDLL('libtbb.so.12').TBB_runtime_interface_version())\n"
                "print(*sorted({'mapped /' + l.split('/', 1)[1].strip() for l in open('/proc/self/maps')\n"
                "               if '/libtbb.so' in l}), sep='\\n')\n")
        self.on_bough(launcher(), sys.executable, "-c", code)
        self.on_bough(launcher(), self.script(f"#!{sys.executable}\n{code}"))
        self.on_bough(launcher(), self.script(f"#!/usr/bin/env {sys.executable}\n{code}"))

    def test_whole_programs(self):
        """Binaries built with oneTBB's own headers, old and new language, compute on bough what they compute there."""
        lib = options.onetbb / "lib"
        for std in ("c++11", "c++20"):
            program = self.prebuilt("program", f"-L{lib}", "-ltbb", f"-Wl,-rpath,{lib}", "-Wl,--disable-new-dtags",
                                    source="program.cpp", std=std)
            self.assert_runs_on(run(program), (lib / "libtbb.so.12").resolve())
            self.on_bough(launcher(), program, computed=True)

    def test_installed_and_moved(self):
        install(self.folder / "before")
        prefix = shutil.move(self.folder / "before", self.folder / "after")
        program = self.prebuilt("program")
        self.assert_runs_on(run(prefix / "bin/bough-run", program), installed_library(prefix), computed=False)
        told = json.loads(run(prefix / "bin/bough", "info", "--json").stdout)
        self.assertEqual(told["libtbb"]["built_for_bough"]["path"], str(installed_library(prefix)))
        with_space = shutil.move(prefix, self.folder / "with space")
        done = run(with_space / "bin/bough-run", program, status=125)
        self.assertIn("space", done.stderr)


if __name__ == "__main__":
    support.main()
