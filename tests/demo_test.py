#!/usr/bin/python3
"""The table that ./dev demo ends with, of times that are made up. What is measured needs both libraries."""

import contextlib
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
import demo  # noqa: E402  (the path comes first)

times = {"nested": {"onetbb": [4.0, 4.0, 6.0, 4.0, 4.0, 4.0, 2.0], "bough": [2.0] * 7}}
shown = io.StringIO()
with contextlib.redirect_stdout(shown):
    demo.table(times, {"nested": (4.0, 2.0)})
for text in ("nested", "4.000 ms", "2.000 ms", "2.00 (1.00 to 3.00)", "98 %"):
    if text not in shown.getvalue():
        sys.exit(f"not in the table: {text}\n{shown.getvalue()}")
