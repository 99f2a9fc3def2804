// Each worker of a rank hunts and pauses by itself.

#include <gtest/gtest.h>
#include <set>

#include "scripted_policy.h"

namespace {

using namespace bough::cluster;
using bough_test::scripted_policy;
using orders = std::vector<std::string>;

scripted_policy scripted(const char* name, int size, std::uint32_t steals = 1) {
    parameters with;
    with.steals_on_the_way = steals;
    return scripted_policy(make_policy(name, 0, size, 1, with), size);
}

// A rank pauses when all its workers do, not when the first one does.
TEST(back_off, is_of_each_worker) {
    auto p = scripted("pure-random", 8);
    for (int round = 0; round < 3; ++round) {
        for (int worker = 0; worker < 15; ++worker) {
            const int r = p.victim(15);
            ASSERT_NE(r, -1) << "worker " << worker << " pauses with another one";
            p.has_nothing(r);
        }
        EXPECT_EQ(p.victim(15), -1);
        EXPECT_EQ(p.policy().wake(15), p.now + (200_us << round));
        p.now += 200_us << round;
    }
}

TEST(back_off, does_not_hold_back_a_worker_that_is_new) {
    auto p = scripted("random", 8);
    for (int i = 0; i < 6; ++i) {
        p.has_nothing(p.victim(1));
        p.now = p.policy().wake(1);
    }
    p.has_nothing(p.victim(1));  // the pause is of 12.8 ms now
    EXPECT_EQ(p.victim(1), -1);
    const int r = p.victim(2);
    ASSERT_NE(r, -1);
    p.has_nothing(r);
    EXPECT_EQ(p.policy().wake(2), p.now + 200_us);
}

TEST(back_off, ends_for_the_thief_alone) {
    auto p = scripted("pure-random", 8);
    for (int worker = 0; worker < 2; ++worker)
        p.has_nothing(p.victim(2));
    p.now += 200_us;
    p.has_nothing(p.victim(2));
    p.gives(p.victim(2));  // its worker has a task now; the other one goes on with its own pause
    EXPECT_EQ(p.victim(1), -1);
    EXPECT_EQ(p.policy().wake(1), p.now + 400_us);
    EXPECT_NE(p.victim(2), -1);  // hungry again, and without a pause
}

TEST(back_off, of_a_fed_worker_is_forgotten) {
    for (const char* name : {"random", "performance", "two-choices"}) {
        auto p = scripted(name, 4);
        p.others.assign(4, {0, 12, 2});
        for (int r = p.victim(3); r != -1; r = p.victim(3))
            p.has_nothing(r);
        p.orders(0);  // tasks of their own
        const auto again = p.orders(3);
        EXPECT_FALSE(again.empty()) << name;
    }
}

// Beyond one steal at a time: no more than there are hungry workers, and no more than the parameter allows.
TEST(back_off, lets_workers_steal_at_the_same_time) {
    for (const char* name : {"random", "pure-random"}) {
        auto p = scripted(name, 8, 4);
        EXPECT_EQ(p.orders(3).size(), 3u) << name;
        EXPECT_EQ(p.orders(15).size(), 1u) << name;
        EXPECT_TRUE(p.orders(15).empty()) << name;
        EXPECT_EQ(p.policy().wake(15), never) << name;
    }
    auto p = scripted("performance", 3, 4);
    p.others = {{0, 0, 0}, {9, 12, 2}, {2, 12, 2}};
    EXPECT_EQ(p.victim(3), 1);  // all three have joined one refresh
    EXPECT_EQ(p.questions, 2);
    EXPECT_EQ(p.orders(3), (orders{"steal 1", "steal 1"}));
    for (int i = 0; i < 3; ++i)
        p.has_nothing(1);
    EXPECT_TRUE(p.orders(3).empty());  // each has tried a fresh target
}

}  // namespace
