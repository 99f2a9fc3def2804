// How many threads a scan's window is worth, and how large the next one is, by what one thread takes for a unit.

#include <gtest/gtest.h>

#include "bough/detail/scan_window.h"

namespace bough::detail {
namespace {

scan_pace pace_of(double ns_per_unit) {
    scan_pace pace;
    pace.learn(1000 * ns_per_unit, 1000);
    return pace;
}

TEST(scan_pace, takes_all_threads_while_nothing_is_known) {
    EXPECT_EQ(scan_pace().worth(100, 128), 128u);
    EXPECT_EQ(scan_pace().window(2048, 128), 2048u);
}

TEST(scan_pace, leaves_short_scans_to_one_thread) {
    EXPECT_EQ(pace_of(1).worth(1000, 128), 1u);
}

TEST(scan_pace, takes_some_threads_for_a_scan_between_short_and_long) {
    const unit threads = pace_of(1).worth(32768, 128);
    EXPECT_GE(threads, 4u);
    EXPECT_LE(threads, 16u);
}

TEST(scan_pace, takes_more_threads_for_more_work) {
    const scan_pace pace = pace_of(1);
    unit before = 1;
    for (unit units = 1000; units < 100'000'000; units *= 10) {
        const unit now = pace.worth(units, 128);
        EXPECT_GE(now, before) << units;
        before = now;
    }
    EXPECT_EQ(before, 128u);
}

TEST(scan_pace, never_takes_more_than_there_are) {
    EXPECT_EQ(pace_of(1000).worth(1'000'000, 2), 2u);
}

TEST(scan_pace, makes_windows_in_which_each_thread_has_the_same_time) {
    const scan_pace pace = pace_of(10);
    EXPECT_EQ(pace.window(1, 1), scan_pace::round_ns / 10);
    EXPECT_EQ(pace.window(1, 3), 2 * scan_pace::round_ns / 10);
}

}  // namespace
}  // namespace bough::detail
