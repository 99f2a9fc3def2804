// The thief's clock and the order of victims.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "park/crowding.h"
#include "steal/look_timer.h"
#include "steal/sighting.h"
#include "steal/victims.h"

namespace bough {
namespace {

loop_word word(std::uint32_t generation, std::uint32_t next, std::uint32_t end, bool open = false) {
    return loop_word((std::uint64_t{generation} << 32) + loop_word::publication(next, end, open, 0));
}

TEST(sighting, a_closed_part_may_be_taken_from_after_a_timespan_in_one_generation) {
    sighting s;
    EXPECT_FALSE(s.may_steal(0, word(1, 1, 10), 0, 1, 1000, {500}));
    EXPECT_FALSE(s.may_steal(0, word(1, 2, 10), 0, 1, 1500, {500}));
    EXPECT_TRUE(s.may_steal(0, word(1, 3, 10), 0, 1, 1501, {500}));
}

TEST(sighting, a_new_generation_starts_the_clock_again) {
    sighting s;
    s.may_steal(0, word(1, 1, 10), 0, 1, 1000, {500});
    EXPECT_FALSE(s.may_steal(0, word(2, 1, 10), 0, 1, 5000, {500}));
    EXPECT_TRUE(s.may_steal(0, word(2, 1, 10), 0, 1, 5501, {500}));
}

TEST(sighting, a_part_at_another_depth_starts_the_clock_again) {
    sighting s;
    s.may_steal(0, word(1, 1, 10), 0, 1, 1000, {500});
    EXPECT_FALSE(s.may_steal(1, word(1, 1, 10), 0, 1, 5000, {500}));
    EXPECT_TRUE(s.may_steal(1, word(1, 1, 10), 0, 1, 5501, {500}));
}

TEST(sighting, the_last_piece_goes_only_when_the_owner_stands_still) {
    sighting s;
    s.may_steal(0, word(1, 1, 10), 0, 1, 1000, {500});
    EXPECT_FALSE(s.may_steal(0, word(1, 9, 10), 0, 1, 2000, {500}));
    EXPECT_FALSE(s.may_steal(0, word(1, 9, 10), 0, 1, 2500, {500}));
    EXPECT_TRUE(s.may_steal(0, word(1, 9, 10), 0, 1, 2501, {500}));
}

TEST(sighting, an_open_part_gives_what_is_over_the_grain_at_once) {
    sighting s;
    EXPECT_TRUE(s.may_steal(0, word(1, 1, 10, true), 0, 8, 1000, {500}));
    EXPECT_FALSE(s.may_steal(0, word(1, 2, 10, true), 0, 8, 1001, {500}));
    EXPECT_TRUE(s.may_steal(0, word(1, 2, 10, true), 0, 8, 1600, {500}));
}

TEST(sighting, mails_open_a_gate_before_its_time) {
    sighting s;
    EXPECT_FALSE(s.may_steal(0, word(1, 1, 10), 7, 1, 1000, {500, 2}));
    EXPECT_FALSE(s.may_steal(0, word(1, 2, 10), 8, 1, 1001, {500, 2}));
    EXPECT_TRUE(s.may_steal(0, word(1, 3, 10), 9, 1, 1002, {500, 2}));
    EXPECT_FALSE(s.may_steal(0, word(1, 9, 10), 9, 1, 1003, {500, 2}));   // the last piece
    EXPECT_FALSE(s.may_steal(0, word(2, 1, 10), 9, 1, 1004, {500, 2}));   // a new generation counts anew
    EXPECT_FALSE(s.may_steal(0, word(2, 2, 10), 99, 1, 1005, {500, 0}));  // mails open nothing
}

// Levels 0, 1, 2 for slots in the same four, the same eight, elsewhere.
unsigned level(unsigned a, unsigned b) {
    return a / 4 == b / 4 ? 0 : a / 8 == b / 8 ? 1 : 2;
}

TEST(victims, each_other_slot_once_and_near_ones_first) {
    for (unsigned count = 1; count < 20; ++count) {
        for (unsigned self = 0; self < count; ++self) {
            victim_order order(self);
            for (int look = 0; look < 3; ++look) {
                std::vector<unsigned> seen;
                EXPECT_FALSE(order.each(
                    count, true, [&](unsigned i) { return level(self, i); },
                    [&](unsigned i) {
                        seen.push_back(i);
                        return false;
                    }));
                ASSERT_EQ(seen.size(), count - 1);
                EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end(), [&](unsigned a, unsigned b) {
                    return level(self, a) < level(self, b);
                }));
                std::sort(seen.begin(), seen.end());
                for (unsigned i = 0; i < seen.size(); ++i)
                    EXPECT_EQ(seen[i], i < self ? i : i + 1);
            }
        }
    }
}

TEST(victims, begins_where_it_last_found_something) {
    victim_order order(3);
    bool last_first = true;
    const auto first_met = [&](unsigned taken) {
        unsigned first = ~0U;
        EXPECT_TRUE(order.each(
            10, last_first, [&](unsigned i) { return level(3, i); },
            [&](unsigned i) {
                first = first == ~0U ? i : first;
                return i == taken;
            }));
        return first;
    };
    first_met(9);
    EXPECT_EQ(first_met(9), 9U);
    EXPECT_EQ(first_met(5), 9U);
    EXPECT_EQ(first_met(5), 5U);
    first_met(9);
    last_first = false;
    EXPECT_LT(first_met(9), 4U);  // the nearest ones
}

TEST(victims, begins_anywhere_among_those_that_are_equally_far) {
    victim_order order(0);
    std::vector<bool> was_first(9, false);
    for (int look = 0; look < 1000; ++look) {
        unsigned first = 0;
        order.each(
            9, true, [](unsigned) { return 0U; },
            [&](unsigned i) {
                first = first == 0 ? i : first;
                return false;
            });
        was_first[first] = true;
    }
    EXPECT_EQ(std::count(was_first.begin(), was_first.end(), true), 8);
}

TEST(victims, slots_that_come_later_are_met) {
    victim_order order(0);
    for (const unsigned count : {2U, 5U, 3U}) {
        unsigned met = 0;
        order.each(
            count, true, [](unsigned i) { return i; },
            [&](unsigned i) {
                EXPECT_LT(i, count);
                ++met;
                return false;
            });
        EXPECT_EQ(met, count - 1);
    }
}

std::vector<machine::ticks> looks_of(look_timer timer, machine::ticks end) {
    std::vector<machine::ticks> looks;
    for (machine::ticks t = 0; t < end; ++t)
        if (timer.is_due(t))
            looks.push_back(t);
    return looks;
}

// A system that has taken the CPU once more each time that it is asked.
struct busy_system {
    std::uint64_t taken = 7;
    std::uint64_t operator()() { return ++taken; }
};

TEST(crowding, a_lost_time_slice_is_rested_for_ten_times_as_long) {
    constexpr machine::ticks least = 1000;
    busy_system busy;
    crowding crowd;
    EXPECT_TRUE(crowd.is_over(0));
    crowd.begin(5'000'000);
    EXPECT_FALSE(crowd.has_displaced(5'000'999, least, busy));
    EXPECT_TRUE(crowd.is_over(5'000'999));
    EXPECT_TRUE(crowd.has_displaced(5'005'000, least, busy));
    EXPECT_FALSE(crowd.is_over(5'005'000 + 40'009));
    EXPECT_TRUE(crowd.is_over(5'005'000 + 40'010));
    crowd.begin(5'100'000);  // what lies between two runs is its own work
    EXPECT_FALSE(crowd.has_displaced(5'100'001, least, busy));
}

TEST(crowding, what_the_system_knows_nothing_of_is_no_other_thread) {
    const auto quiet = [] { return std::uint64_t{7}; };
    crowding crowd;
    crowd.begin(0);
    EXPECT_TRUE(crowd.has_displaced(5000, 1000, quiet));  // some time before
    EXPECT_FALSE(crowd.has_displaced(10'000, 1000, quiet));
}

TEST(crowding, a_machine_that_slept_is_not_rested_for_as_long) {
    crowding crowd;
    crowd.begin(0);
    EXPECT_TRUE(crowd.has_displaced(1'000'000'000'000, 1000, busy_system()));
    EXPECT_TRUE(crowd.is_over(1'000'000'000'000 + 1'000'000));
}

TEST(crowding, a_clock_that_goes_back_is_no_time_slice_and_ends_a_rest) {
    crowding crowd;
    crowd.begin(10'000);
    EXPECT_FALSE(crowd.has_displaced(9'999, 1000, busy_system()));
    EXPECT_TRUE(crowd.has_displaced(20'000, 1000, busy_system()));
    EXPECT_FALSE(crowd.is_over(20'001));
    EXPECT_TRUE(crowd.is_over(5));
}

TEST(look_timer, looks_less_and_less_often) {
    EXPECT_EQ(looks_of(look_timer(0, 100, 450), 3000),
              (std::vector<machine::ticks>{100, 301, 704, 1154, 1604, 2054, 2504, 2954}));
}

TEST(look_timer, looks_at_most_a_quarter_later_than_it_has_been_idle) {
    constexpr machine::ticks first = 100, most = 100'000;
    const std::vector<machine::ticks> looks =
        looks_of(look_timer(0, first, most, look_growth::by_a_quarter), 10'000);
    ASSERT_GT(looks.size(), 10u);
    for (std::size_t n = 1; n < looks.size(); ++n) {
        EXPECT_GT(looks[n] - looks[n - 1], n == 1 ? first : looks[n - 1] - looks[n - 2]);
        EXPECT_LE(looks[n] - looks[n - 1], first + looks[n - 1] / 4 + n);
    }
}

}  // namespace
}  // namespace bough
