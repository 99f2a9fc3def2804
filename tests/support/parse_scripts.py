#!/usr/bin/python3
"""Every Python script of the project parses: most run only when somebody measures. usage: parse_scripts.py ROOT"""

import ast
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
scripts = [path for folder in ("benchmarks", "examples", "tests", "compat", "calibrate", "info", "simulate", "src")
           for path in sorted((root / folder).rglob("*.py"))]
for path in scripts:
    ast.parse(path.read_text(encoding="utf-8"), str(path.relative_to(root)))
sys.exit(None if scripts else "no scripts found")
