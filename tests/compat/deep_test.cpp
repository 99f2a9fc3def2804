// Recursion without an end through oneTBB's own classes: an error as of any body.

#include <tbb/tbb.h>

#include <atomic>

#include <bough/bough.h>
#include <gtest/gtest.h>

#include "support/small_stack.h"

namespace {

void group_for_ever() {
    tbb::task_group g;
    g.run([] { group_for_ever(); });
    g.wait();
}

void pipeline_for_ever() {
    int made = 0;
    const auto make = [&](tbb::flow_control& control) {
        if (made == 2)
            control.stop();
        return made++;
    };
    tbb::parallel_pipeline(
        2, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, make) &
               tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) { pipeline_for_ever(); }));
}

void arena_for_ever() {
    tbb::task_arena arena(2);
    arena.execute([] { arena_for_ever(); });
}

template <void (*recursion)()>
void ends_in_an_error() {
    bough_test::on_small_stack([] {
        EXPECT_THROW(recursion(), bough::nesting_too_deep);
        std::atomic<int> sum{0};
        tbb::parallel_for(0, 100, [&](int i) { sum += i; });
        EXPECT_EQ(sum, 4950);
    });
}

TEST(deep, task_group) {
    ends_in_an_error<group_for_ever>();
}
TEST(deep, parallel_pipeline) {
    ends_in_an_error<pipeline_for_ever>();
}
TEST(deep, task_arena) {
    ends_in_an_error<arena_for_ever>();
}

}  // namespace
