#pragma once
// For tests of what is read once in a process: the machine, settings.

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "machine/limits.h"

namespace bough_test {

// Runs the check in a process of its own, which must write what `says` describes.
template <class Check>
void in_new_process(Check check, const char* says = "") {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(std::exit(check() ? 0 : 1), testing::ExitedWithCode(0), says);
}

// Made-up machines have these.
inline bool has_cpus_0_and_1() {
    return bough::machine::affinity_cpus() == std::vector<unsigned>{0, 1} &&
           bough::machine::usable_cpus() == 2;
}

}  // namespace bough_test
