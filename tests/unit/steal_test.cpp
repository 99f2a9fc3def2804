// The thief's clock and the order of victims.

#include <gtest/gtest.h>

#include <vector>

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
    EXPECT_FALSE(s.may_steal(word(1, 1, 10), 1, 1000, 500));
    EXPECT_FALSE(s.may_steal(word(1, 2, 10), 1, 1500, 500));
    EXPECT_TRUE(s.may_steal(word(1, 3, 10), 1, 1501, 500));
}

TEST(sighting, a_new_generation_starts_the_clock_again) {
    sighting s;
    s.may_steal(word(1, 1, 10), 1, 1000, 500);
    EXPECT_FALSE(s.may_steal(word(2, 1, 10), 1, 5000, 500));
    EXPECT_TRUE(s.may_steal(word(2, 1, 10), 1, 5501, 500));
}

TEST(sighting, the_last_piece_goes_only_when_the_owner_stands_still) {
    sighting s;
    s.may_steal(word(1, 1, 10), 1, 1000, 500);
    EXPECT_FALSE(s.may_steal(word(1, 9, 10), 1, 2000, 500));
    EXPECT_FALSE(s.may_steal(word(1, 9, 10), 1, 2500, 500));
    EXPECT_TRUE(s.may_steal(word(1, 9, 10), 1, 2501, 500));
}

TEST(sighting, an_open_part_gives_what_is_over_the_grain_at_once) {
    sighting s;
    EXPECT_TRUE(s.may_steal(word(1, 1, 10, true), 8, 1000, 500));
    EXPECT_FALSE(s.may_steal(word(1, 2, 10, true), 8, 1001, 500));
    EXPECT_TRUE(s.may_steal(word(1, 2, 10, true), 8, 1600, 500));
}

TEST(victims, each_other_slot_once_and_neighbours_first) {
    for (unsigned count = 1; count < 20; ++count) {
        for (unsigned self = 0; self < count; ++self) {
            std::vector<unsigned> seen;
            EXPECT_FALSE(each_victim(self, count, [&](unsigned i) {
                seen.push_back(i);
                return false;
            }));
            ASSERT_EQ(seen.size(), count - 1);
            std::vector<bool> met(count, false);
            unsigned last = 0;
            for (const unsigned i : seen) {
                ASSERT_LT(i, count);
                EXPECT_NE(i, self);
                EXPECT_FALSE(met[i]);
                met[i] = true;
                const unsigned distance = i > self ? i - self : self - i;
                EXPECT_GE(distance, last);
                last = distance;
            }
        }
    }
}

TEST(victims, stops_when_told) {
    int calls = 0;
    EXPECT_TRUE(each_victim(3, 10, [&](unsigned) { return ++calls == 2; }));
    EXPECT_EQ(calls, 2);
}

TEST(look_timer, looks_less_and_less_often) {
    look_timer timer(0, 100, 450);
    std::vector<machine::ticks> looks;
    for (machine::ticks t = 0; t < 3000; ++t)
        if (timer.is_due(t))
            looks.push_back(t);
    EXPECT_EQ(looks, (std::vector<machine::ticks>{100, 301, 704, 1154, 1604, 2054, 2504, 2954}));
}

}  // namespace
}  // namespace bough
