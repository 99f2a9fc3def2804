// What workers see of the arenas that wait for one, and when a turn ends.

#include "worker/requests.h"

#include <gtest/gtest.h>

#include <limits>

namespace {

using bough::requests;
using bough::machine::ticks;

constexpr ticks at_once = 0, long_ago = 0, never = std::numeric_limits<ticks>::max() / 4;
constexpr int low = 1, normal = 2, high = 3;

struct requests_of_arenas : testing::Test {
    requests all;
    int own = 0, other = 0, third = 0;  // their addresses stand for arenas

    bool ends_turn(int rank, ticks arrived = long_ago, ticks turn = at_once) {
        return all.claim_end_of_turn({&own, rank}, arrived, turn);
    }
};

TEST_F(requests_of_arenas, no_turn_ends_while_nobody_waits) {
    EXPECT_EQ(all.highest(), 0);
    EXPECT_EQ(all.highest_but(&own), 0);
    EXPECT_FALSE(ends_turn(low));
    all.note({&other, high}, {}, at_once);
    all.note({}, {}, at_once);
    EXPECT_EQ(all.highest(), 0);
    EXPECT_FALSE(ends_turn(low));
}

TEST_F(requests_of_arenas, a_turn_ends_for_the_same_priority_and_higher_ones) {
    all.note({&other, normal}, {}, at_once);
    EXPECT_FALSE(ends_turn(high));
    EXPECT_TRUE(ends_turn(normal));
    EXPECT_TRUE(ends_turn(low));
}

TEST_F(requests_of_arenas, the_own_arenas_request_ends_no_turn) {
    all.note({&own, normal}, {}, at_once);
    EXPECT_EQ(all.highest_but(&own), 0);
    EXPECT_FALSE(ends_turn(normal));
    all.note({&own, normal}, {&other, low}, at_once);
    EXPECT_EQ(all.highest_but(&own), low);
    EXPECT_FALSE(ends_turn(normal));
    all.note({&own, normal}, {&other, normal}, at_once);
    EXPECT_TRUE(ends_turn(normal));
    EXPECT_EQ(all.highest_but(&third), normal);
}

TEST_F(requests_of_arenas, no_turn_ends_before_an_arena_has_waited_for_one) {
    all.note({&other, normal}, {}, never);
    EXPECT_FALSE(ends_turn(normal));
    all.note({&third, normal}, {&other, normal}, at_once);  // another one is first
    EXPECT_TRUE(ends_turn(normal));
}

TEST_F(requests_of_arenas, a_worker_that_has_just_come_has_a_turn) {
    all.note({&other, normal}, {}, at_once);
    EXPECT_FALSE(ends_turn(normal, bough::machine::now(), never));
    EXPECT_TRUE(ends_turn(normal));
}

// All workers of an arena see the request until the first of them has taken it.
TEST_F(requests_of_arenas, one_worker_goes_in_each_turn) {
    constexpr ticks turn = ticks{1} << 50;  // days
    all.note({&other, normal}, {}, at_once);
    EXPECT_TRUE(all.claim_end_of_turn({&own, normal}, bough::machine::now() - 2 * turn, turn));
    EXPECT_FALSE(ends_turn(normal));
    all.note({&other, normal}, {&own, normal}, at_once);  // one that asks meanwhile changes nothing
    EXPECT_FALSE(ends_turn(normal));
    all.note({&own, normal}, {&third, normal}, at_once);  // it has come
    EXPECT_TRUE(ends_turn(normal));
}

}  // namespace
