#!/usr/bin/python3
"""What ./dev demo prints, of times that are made up. What is measured needs both libraries."""

import contextlib
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
import demo  # noqa: E402  (the path comes first)

times = {"nested": {"onetbb": [4000.0, 4000.0, 6000.0, 4000.0, 4000.0, 4000.0, 2000.0], "bough": [2000.0] * 7},
         "slower": {"onetbb": [1.0] * 7, "bough": [2.0] * 7}}
ups = demo.speed_ups(times)
endings = [["hangs", "right"], ["right", "right"]]
shown = io.StringIO()
with contextlib.redirect_stdout(shown):
    demo.table(times, ups)
    demo.endings_table(endings)
    print(demo.closing_line(ups, endings))
for text in ("nested", "4 us", "2 us", "2.00 (1.00 to 3.00)", "0.50 (0.50 to 0.50)", "98 %", "hangs",
             "in 0 of 2 cases", "1 of 2 programs"):
    if text not in shown.getvalue():
        sys.exit(f"not shown: {text}\n{shown.getvalue()}")
if demo.parse("case a b\nchecksum 1.5\ntime_ns 7\n") != {"a b": (1.5, 7.0)}:
    sys.exit("parse() reads a case wrongly")
