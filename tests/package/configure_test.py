"""What a configure run asks for: oneTBB, fetched from wheels made here, and options with values that exist."""

import hashlib
import shutil
import subprocess
import unittest
import zipfile

from package_test import HERE, ROOT
import support
from support import Case, run

VERSION = "2023.2.0"
LIBRARIES = ("libtbb.so.12", "libtbbmalloc.so.2", "libtbbmalloc_proxy.so.2")
FILES = {
    "tbb": {f"tbb-{VERSION}.data/data/lib/{name}": name for name in LIBRARIES} | {
        f"tbb-{VERSION}.dist-info/LICENSE.txt": "licence",
        f"tbb-{VERSION}.data/data/share/doc/tbb/licensing/third-party-programs.txt": "licences"},
    "tbb_devel": {f"tbb_devel-{VERSION}.data/data/include/oneapi/tbb/version.h": "// made here",
                  f"tbb_devel-{VERSION}.data/data/include/tbb/tbb.h": "// made here"},
}


class OneTbb(Case):
    def setUp(self):
        super().setUp()
        pip = ["/usr/bin/python3", "-m", "pip", "--version"]
        if subprocess.run(pip, capture_output=True, check=False).returncode:
            self.skipTest("no pip")
        self.place = self.folder / "project/build/onetbb"
        shutil.copytree(HERE / "onetbb", self.folder / "project")
        hashes = [self.make_wheel(name, files) for name, files in FILES.items()]
        self.hashes = f"-DBOUGH_ONETBB_SHA256={';'.join(hashes)}"

    def make_wheel(self, name, files):
        path = self.folder / f"{name}-{VERSION}-py2.py3-none-manylinux_2_28_x86_64.whl"
        info = {f"{name}-{VERSION}.dist-info/METADATA":
                f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {VERSION}\n",
                f"{name}-{VERSION}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"}
        with zipfile.ZipFile(path, "w") as wheel:
            for inside, text in (files | info).items():
                wheel.writestr(inside, text)
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def cmake(self, *arguments, wheels=True, status=0):
        """Without a network; `wheels`: pip finds the ones made here."""
        return run("cmake", *arguments, status=status, PIP_NO_INDEX=1, PIP_RETRIES=0,
                   PIP_FIND_LINKS=self.folder if wheels else "", https_proxy="http://127.0.0.1:9")

    def configure(self, *definitions, **changes):
        return self.cmake("-S", self.folder / "project", "-B", self.folder / "out", f"-DBOUGH={ROOT}", *definitions,
                          **changes)

    def test_fetched_once(self):
        self.assertIn(f"BOUGH_TBB_ROOT={self.place}", self.configure(self.hashes).stdout)
        for name in LIBRARIES:
            self.assertEqual((self.place / "lib" / name).read_text(), name)
            self.assertEqual((self.place / "lib" / name[:name.index(".so") + 3]).resolve().name, name)
        self.assertEqual((self.place / "VERSION").read_text(), f"{VERSION} (PyPI)\n")
        self.assertEqual(sorted(p.name for p in self.place.iterdir()), ["VERSION", "include", "lib", "licenses"])
        self.assertEqual(len(list((self.place / "licenses").iterdir())), 2)
        self.assertEqual([p.name for p in self.place.parent.glob("*.part")], [])
        self.assertNotIn("fetching", self.configure(wheels=False).stdout)

    def test_other_hash(self):
        """What is there stays."""
        self.place.mkdir(parents=True)
        script = ROOT / "cmake/FetchOneTbb.cmake"
        done = self.cmake(f"-DPLACE={self.place}", "-P", script, status=1)
        self.assertIn(f"no oneTBB {VERSION}: pip did not get it", done.stderr)
        self.assertEqual(list(self.place.iterdir()), [])
        self.cmake(f"-DPLACE={self.place}", self.hashes, "-P", script)
        self.assertTrue((self.place / "include/oneapi/tbb/version.h").exists())

    def test_no_network(self):
        said = self.configure(wheels=False, status=1).stderr
        [line] = [line for line in said.splitlines() if "oneTBB" in line]
        for words in (f"oneTBB {VERSION} is missing", "-DBOUGH_TBB_ROOT=DIR", "-DBOUGH_BUILD_COMPAT=OFF"):
            self.assertIn(words, line)

    def test_folder_without_onetbb(self):
        said = self.configure("-DBOUGH_TBB_ROOT=/nowhere", status=1).stderr
        self.assertIn("BOUGH_TBB_ROOT: no /nowhere/include/oneapi/tbb/version.h; -DBOUGH_TBB_ROOT=DIR", said)


class Options(unittest.TestCase):
    def said(self, *definitions, status=1):
        return run("cmake", *definitions, "-P", ROOT / "cmake/BoughOptions.cmake", status=status).stderr

    def test_wrong_values(self):
        self.assertIn("BOUGH_BUILD_COMPAT=maybe: allowed are ON and OFF", self.said("-DBOUGH_BUILD_COMPAT=maybe"))
        for value in ("memory", "address,", "address thread", ",", "addressthread"):
            self.assertIn(f"BOUGH_SANITIZE={value}: allowed are address, thread", self.said(f"-DBOUGH_SANITIZE={value}"))
        self.assertIn("exclude each other", self.said("-DBOUGH_SANITIZE=thread,address"))
        self.assertIn("declare it as bough", self.said("-Dbough_stands_for_tbb=ON", "-DBOUGH_BUILD_COMPAT=OFF"))
        self.assertIn("one of them", self.said("-DBOUGH_SANITIZE=thread", "-DBOUGH_CHECKS=ON"))

    def test_right_values(self):
        for value in ("address,undefined", "thread", ""):
            self.assertEqual(self.said(f"-DBOUGH_SANITIZE={value}", "-DBOUGH_WERROR=yes", status=0), "")


if __name__ == "__main__":
    support.main()
