// How many threads a scan's window is worth, and how large the next one is, by what one thread takes for a unit.

#include <gtest/gtest.h>

#include "bough/detail/scan_window.h"

namespace bough::detail {
namespace {

struct pace_of : scan_pace {
    explicit pace_of(double ns_per_unit) { learn(1000 * ns_per_unit, 1000); }
};

TEST(scan_pace, takes_all_threads_while_nothing_is_known) {
    EXPECT_EQ(scan_pace().worth(100, 128), 128u);
    EXPECT_EQ(scan_pace().window(2048, 128), 2048u);
}

TEST(scan_pace, takes_two_threads_for_a_short_scan) {
    EXPECT_EQ(pace_of(1).worth(1000, 128), 2u);
    EXPECT_EQ(pace_of(1).worth(1000, 1), 1u);
}

TEST(scan_window, begins_with_a_small_part_of_the_front) {
    scan_window window(0, 10000, 2, 100);
    EXPECT_EQ(window.reserved().last, 50u);
    const unit_interval next = window.claim_front();
    EXPECT_EQ(next.first, 50u);
    EXPECT_EQ(next.last, 50u + 9950 / 4);
}

TEST(scan_window, has_nothing_left_when_it_is_closed) {
    scan_window window(100, 200, 2, 2);
    const unit_interval first = window.reserved(), last = window.claim_back();
    EXPECT_EQ(first.first, 100u);
    EXPECT_EQ(last.last, 200u);
    EXPECT_EQ(window.left(), last.first - first.last);
    window.close();
    EXPECT_EQ(window.left(), 0u);
    EXPECT_TRUE(window.claim_front().empty());
    EXPECT_TRUE(window.claim_back().empty());
}

TEST(scan_pace, takes_some_threads_for_a_scan_between_short_and_long) {
    const unit threads = pace_of(1).worth(32768, 128);
    EXPECT_GE(threads, 4u);
    EXPECT_LE(threads, 16u);
}

TEST(scan_pace, takes_more_threads_for_more_work) {
    const pace_of pace(1);
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
    const pace_of pace(10);
    EXPECT_EQ(pace.window(1, 1), scan_pace::round_ns / 10);
    EXPECT_EQ(pace.window(1, 3), 2 * scan_pace::round_ns / 10);
}

}  // namespace
}  // namespace bough::detail
