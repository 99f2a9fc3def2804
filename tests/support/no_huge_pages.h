#pragma once
// Included by a program that compares what is resident: where transparent huge pages are `always` one byte that is
// written can make 2 MiB so, and what the kernel merges later is growth that nobody asked for. They are off from before
// main() on, in its children too, over fork and exec.

#include <sys/prctl.h>

namespace bough_test {

inline const bool no_huge_pages = prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0;

}  // namespace bough_test
