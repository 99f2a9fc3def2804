#pragma once
// For tests of what is read once in a process: the machine, settings.

#include <gtest/gtest.h>

#include <sched.h>

#include <cstdlib>

namespace bough_test {

// Runs the check in a process of its own, which must write what `says` describes.
template <class Check>
void in_new_process(Check check, const char* says = "") {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(std::exit(check() ? 0 : 1), testing::ExitedWithCode(0), says);
}

// Exactly these are in the affinity mask. hwloc's made-up machines have them, and CPUs beyond ours are not usable.
inline bool has_cpus_0_and_1() {
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_ISSET(0, &mine) && CPU_ISSET(1, &mine) &&
           CPU_COUNT(&mine) == 2;
}

}  // namespace bough_test
