// Which way a loop goes: the memory of a call site, and turns that are not judged.

#include <gtest/gtest.h>

#include <map>

#include "share/prediction.h"

namespace bough {
namespace {

tuning some_tuning() {
    tuning t{};
    t.handoff = 250;
    return t;
}

TEST(prediction, an_unknown_loop_is_handed_off) {
    detail::call_site site;
    way_turns turns;
    const prediction p(site, 100);
    EXPECT_FALSE(p.is_known());
    EXPECT_EQ(p.choose(1, some_tuning(), turns), way::team);
}

// How often each way is gone in 3200 loops, where those that ask count first, first + step, ...
std::map<way, int> choices(detail::call_site& site, std::uint64_t units, std::uint32_t first,
                           std::uint32_t step) {
    std::map<way, int> result;
    way_turns turns;
    std::uint32_t count = first;
    for (int k = 0; k < 3200; ++k) {
        if (prediction::is_blind_turn(site, units, turns))
            ++result[way::blind];
        else if (prediction::is_team_turn(site, units, turns))
            ++result[way::team];
        else
            ++result[prediction(site, units).choose(count += step, some_tuning(), turns)];
    }
    return result;
}

TEST(prediction, short_blind_long_handed_off) {
    detail::call_site site;
    prediction(site, 100).learn_solo(100, 100);
    for (const std::uint32_t step : {1u, 2u, 3u, 32u}) {
        auto seen = choices(site, 100, 1, step);
        EXPECT_NEAR(seen[way::alone], 33, 12) << "every " << step;
        EXPECT_EQ(seen[way::alone] + seen[way::blind], 3200);
    }
    prediction(site, 1'000'000).learn_solo(1'000'000, 1'000'000);
    EXPECT_EQ(choices(site, 1'000'000, 1, 1)[way::team], 3200);
}

void learn_both(detail::call_site& site, std::uint64_t units, machine::ticks team, machine::ticks alone) {
    for (int i = 0; i < 8; ++i) {
        prediction(site, units).learn_way(way::team, team);
        prediction(site, units).learn_way(way::alone, alone);
    }
}

TEST(prediction, in_between_both_ways_are_tried_until_they_are_known) {
    detail::call_site site;
    prediction(site, 1000).learn_solo(1000, 1000);
    for (const std::uint32_t step : {1u, 2u, 4u, 32u}) {
        auto seen = choices(site, 1000, 1, step);
        EXPECT_GT(seen[way::team], 1000) << "every " << step;
        EXPECT_GT(seen[way::alone], 1000) << "every " << step;
    }
}

TEST(prediction, bodies_that_wait_for_each_other_are_tried_alone_twice) {
    const auto tried_alone = [](machine::ticks team, machine::ticks alone) {
        detail::call_site site;
        way_turns turns;
        prediction(site, 16).learn_solo(4'000, 16);  // a hand-off takes 250
        int tried = 0;
        for (std::uint32_t count = 0; count < 40; ++count) {
            const prediction p(site, 16);
            const way chosen = p.choose(count, some_tuning(), turns);
            tried += chosen != way::team;
            p.learn_way(chosen, chosen == way::team ? team : alone);
        }
        return tried;
    };
    EXPECT_EQ(tried_alone(1'000, 100'000), 2);
    EXPECT_GE(tried_alone(1'000, 2'000), 8);
    EXPECT_GE(tried_alone(100'000, 1'000), 8);  // of a team the first measurements say little
}

// Else the team gets too small for them, as soon as they begin at once: the rest would wait for thieves.
TEST(prediction, bodies_that_wait_for_each_other_are_as_long_as_they_were_alone) {
    detail::call_site site;
    const prediction p(site, 4);
    p.learn_solo(400, 4);
    p.learn_way(way::alone, 40'000);
    EXPECT_EQ(prediction(site, 4).total_ticks_alone(some_tuning()), 400)
        << "one measurement may be an interrupt";
    p.learn_way(way::alone, 40'000);
    EXPECT_EQ(prediction(site, 4).total_ticks_alone(some_tuning()), 40'000);
    EXPECT_EQ(prediction(site, 4).total_ticks(), 400);
}

TEST(prediction, in_between_the_faster_way_wins_and_the_other_is_tried) {
    for (const std::uint32_t step : {1u, 2u, 32u}) {
        detail::call_site fast, slow;
        prediction(fast, 1000).learn_solo(1000, 1000);
        learn_both(fast, 1000, 800, 1000);
        EXPECT_NEAR(choices(fast, 1000, 1, step)[way::team], 3175, 20) << "every " << step;
        prediction(slow, 1000).learn_solo(1000, 1000);
        learn_both(slow, 1000, 3000, 1000);
        auto seen = choices(slow, 1000, 1, step);
        EXPECT_NEAR(seen[way::team], 9, 8) << "every " << step;
        EXPECT_GT(seen[way::blind], 3000) << "every " << step;
    }
}

TEST(prediction, one_slow_trial_of_the_first_does_not_last) {
    detail::call_site site;
    const prediction p(site, 1000);
    p.learn_solo(1000, 1000);
    p.learn_way(way::team, 100'000);  // the worker was asleep
    learn_both(site, 1000, 800, 1000);
    EXPECT_GT(choices(site, 1000, 1, 1)[way::team], 2900);
}

// A loop whose bodies wait for each other looks short to each thread of a team, and is long when it is run alone.
TEST(prediction, what_was_helped_though_it_seemed_short_is_handed_off) {
    detail::call_site site;
    prediction(site, 2).learn_solo(100, 2);
    learn_both(site, 2, 300, 3000);
    way_turns turns;
    unsigned blind = 0;
    for (std::uint32_t count = 1; count <= 4096; ++count) {
        const prediction p(site, 2);
        if (p.choose(count, some_tuning(), turns) == way::blind) {
            p.learn_blind(true, some_tuning(), turns);
            ++blind;
        }
    }
    EXPECT_LE(blind, 16u);
    for (std::uint32_t count = 1; count <= 40'000; ++count) {
        const prediction p(site, 2);
        if (p.choose(count, some_tuning(), turns) == way::blind)
            p.learn_blind(false, some_tuning(), turns);
    }
    EXPECT_GT(choices(site, 2, 1, 1)[way::blind], 3000) << "trust does not come back";
}

TEST(prediction, what_goes_untimed_is_no_longer_than_what_was_judged) {
    detail::call_site site;
    way_turns turns;
    prediction(site, 64).learn_solo(64, 64);
    while (prediction(site, 64).choose(3, some_tuning(), turns) != way::blind) {
    }
    EXPECT_TRUE(prediction::is_blind_turn(site, 64, turns));
    EXPECT_FALSE(prediction::is_blind_turn(site, 65, turns));
    EXPECT_TRUE(prediction::is_blind_turn(site, 64, turns));
    prediction(site, 64).learn_blind(true, some_tuning(), turns);
    EXPECT_FALSE(prediction::is_blind_turn(site, 64, turns));
}

TEST(prediction, what_is_handed_off_unjudged_is_no_shorter_than_a_hand_off) {
    detail::call_site site;
    way_turns turns;
    prediction(site, 2000).learn_solo(400, 2000);  // a hand-off is as long as 1250
    learn_both(site, 2000, 300, 400);
    while (prediction(site, 2000).choose(3, some_tuning(), turns) != way::team) {
    }
    EXPECT_FALSE(prediction::is_team_turn(site, 1249, turns));
    EXPECT_TRUE(prediction::is_team_turn(site, 1251, turns));
    EXPECT_TRUE(prediction::is_team_turn(site, 3000, turns));
    while (prediction::is_team_turn(site, 2000, turns)) {  // for ever, if the choice were never made again
    }
}

TEST(prediction, of_loops_in_turn_each_is_judged) {
    detail::call_site site;
    way_turns turns;
    prediction(site, 2000).learn_solo(2000, 2000);
    learn_both(site, 2000, 800, 2000);
    for (const std::uint32_t loops : {2u, 3u, 4u, 5u, 8u}) {
        std::vector<int> judged(loops);
        std::uint32_t count = 0;
        for (std::uint32_t k = 0; k < 1000 * loops; ++k) {
            if (!prediction::is_team_turn(site, 2000, turns)) {
                prediction(site, 2000).choose(++count, some_tuning(), turns);
                ++judged[k % loops];
            }
        }
        EXPECT_GT(*std::min_element(judged.begin(), judged.end()), 0) << loops;
    }
}

TEST(way_turns, each_is_used_once_and_one_slot_keeps_its_own) {
    way_turns mine, another;
    EXPECT_FALSE(mine.take_blind(0, 1));
    EXPECT_FALSE(mine.take_blind(7, 1));
    EXPECT_FALSE(mine.take_team(7, 1));
    mine.give_blind(7, 64, 3);
    another.give_blind(7, 64, 2);
    another.give_team(7, 64, 1);
    int taken = 0;
    while (mine.take_blind(7, 64))
        ++taken;
    EXPECT_EQ(taken, 3);
    another.forget_blind(7);
    EXPECT_FALSE(another.take_blind(7, 64));
    EXPECT_FALSE(another.take_team(7, 63));
    EXPECT_TRUE(another.take_team(7, 64));
    EXPECT_FALSE(another.take_team(7, 64));
}

TEST(way_turns, kinds_in_a_row_keep_theirs_side_by_side) {
    for (const way_turns::kind first : {1u, 1000u}) {
        way_turns turns;
        turns.give_blind(first + 500, 1, 31);
        for (way_turns::kind k = first; k < first + way_turns::places; ++k)
            turns.give_blind(k, 8, 31);
        for (way_turns::kind k = first; k < first + way_turns::places; ++k) {
            EXPECT_TRUE(turns.take_blind(k, 8));
            EXPECT_FALSE(turns.take_blind(k, 9));
        }
        EXPECT_FALSE(turns.take_blind(first + 500, 1));
        turns.forget_blind(first + 500);  // whose place is another's
        EXPECT_TRUE(turns.take_blind(first + 500 % way_turns::places, 8));
    }
}

TEST(prediction, one_cold_call_does_not_last) {
    detail::call_site site;
    prediction(site, 100).learn_solo(100'000, 100);
    prediction(site, 100).learn_solo(100, 100);
    EXPECT_NEAR(prediction(site, 100).ticks_per_unit(), 1, 0.01);
}

TEST(prediction, size_classes_are_separate) {
    detail::call_site site;
    way_turns turns;
    prediction(site, 10).learn_solo(1000, 10);
    EXPECT_FALSE(prediction(site, 100'000).is_known());
    EXPECT_TRUE(prediction(site, ~std::uint64_t{0}).choose(1, some_tuning(), turns) == way::team);
}

}  // namespace
}  // namespace bough
