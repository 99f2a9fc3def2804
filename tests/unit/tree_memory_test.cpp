// Which trees of tasks are handed out (share/tree_memory.h).

#include "share/tree_memory.h"

#include <deque>

#include <gtest/gtest.h>

namespace {

using bough::tree_memory;
using bough::tree_trial;

// Not from the library's table: other tests have filled that, and a kind that finds no place shares another's.
tree_memory& fresh() {
    static std::deque<tree_memory> all;
    return all.emplace_back();
}

// As if trees of the kind had taken so long, each way.
tree_memory& with(bough::machine::ticks kept, bough::machine::ticks handed) {
    tree_memory& m = fresh();
    for (int i = 0; i < 8; ++i) {
        m.learn(false, kept);
        m.learn(true, handed);
    }
    return m;
}

unsigned handed_of(const tree_memory& m, std::uint32_t trees) {
    unsigned handed = 0;
    for (std::uint32_t i = 0; i < trees; ++i)
        handed += m.choose_handing_out(i);
    return handed;
}

TEST(tree_memory, the_first_tree_of_a_kind_is_handed_out) {
    tree_memory& m = fresh();
    for (const std::uint32_t number : {0U, 1U, 2U, 3U})
        EXPECT_TRUE(m.choose_handing_out(number));
}

TEST(tree_memory, both_ways_are_measured_before_either_is_chosen) {
    tree_memory& m = fresh();
    m.learn(true, 10);
    const unsigned handed = handed_of(m, 100);
    EXPECT_EQ(handed, 50U);
    EXPECT_TRUE(m.is_to_be_measured(17));
}

TEST(tree_memory, the_faster_way_is_taken_and_the_other_one_tried_now_and_then) {
    constexpr std::uint32_t trees = 10'000;
    const unsigned short_ones = handed_of(with(10, 1000), trees);
    EXPECT_GT(short_ones, 0U);
    EXPECT_LT(short_ones, trees / 100);
    const unsigned long_ones = handed_of(with(1000, 10), trees);
    EXPECT_LT(long_ones, trees);
    EXPECT_GT(long_ones, trees - trees / 100);
}

TEST(tree_memory, a_kind_that_has_grown_is_handed_out_in_the_end) {
    tree_memory& m = with(10, 20);
    for (int i = 0; i < 32; ++i)
        m.learn(false, 10'000);
    EXPECT_GT(handed_of(m, 1000), 900U);
}

TEST(tree_trial, short_trees_in_a_row_are_judged_more_and_more_rarely) {
    tree_memory& m = with(10, 1000);
    tree_trial trial;
    EXPECT_FALSE(trial.takes_as_short());  // the first tree of a thread is judged
    unsigned judged = 0, handed = 0;
    constexpr unsigned trees = 16'000;
    for (unsigned i = 0; i < trees; ++i) {
        if (trial.takes_as_short())
            continue;
        handed += trial.begin(m, judged++);  // without an end, which would learn what this loop takes
    }
    EXPECT_LT(judged, trees / 8);
    EXPECT_GT(judged, trees / 17);
    EXPECT_LE(handed, judged / 10);
}

TEST(tree_trial, the_tree_after_one_that_was_handed_out_is_judged) {
    tree_memory& m = with(1000, 10);
    tree_trial trial;
    unsigned judged = 0;
    for (unsigned i = 0; i < 100; ++i) {
        if (trial.takes_as_short())
            continue;
        trial.begin(m, judged++);
    }
    EXPECT_GE(judged, 96U);  // a tree that was kept to try it may be followed by one that is not judged
}

}  // namespace
