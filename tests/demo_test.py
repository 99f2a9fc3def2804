#!/usr/bin/python3
"""What ./dev demo prints, of times that are made up. What is measured needs both libraries."""

import contextlib
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
import demo  # noqa: E402  (the path comes first)

# The medians are 411 us and 219 us, and that of the ratios is 1.17, in the turn of 234 us and 200 us.
drifting = {"onetbb": [411e3, 411e3, 234e3, 100e3, 100e3, 900e3, 900e3],
            "bough": [219e3, 219e3, 200e3, 250e3, 250e3, 800e3, 200e3]}
times = {"nested": {"onetbb": [4000.0, 4000.0, 6000.0, 4000.0, 4000.0, 4000.0, 2000.0], "bough": [2000.0] * 7},
         "slower": {"onetbb": [1.0] * 7, "bough": [2.0] * 7}, "drifting": drifting}
ups = demo.speed_ups(times)
endings = [["hangs", "right"], ["right", "right"]]
shown = io.StringIO()
with contextlib.redirect_stdout(shown):
    demo.table(times, ups)
    demo.endings_table(endings)
    print(demo.closing_line(ups, endings, None))
for text in ("nested", "4 us", "2 us", "2.00 (1.00 to 3.00)", "0.50 (0.50 to 0.50)", "98 %", "hangs",
             "in 0 of 3 cases", "1 of 2 programs", "   234 us    200 us   1.17 ("):
    if text not in shown.getvalue():
        sys.exit(f"not shown: {text}\n{shown.getvalue()}")
if demo.closing_line(ups, endings, "the machine is busy") != "the machine is busy":
    sys.exit("a verdict in spite of a busy machine")
if demo.parse("case a b\nchecksum 1.5\ntime_ns 7\n") != {"a b": (1.5, 7.0)}:
    sys.exit("parse() reads a case wrongly")
