// Each policy alone: whom it asks, in which order, and when.

#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "cluster/policies/performance_victim.h"
#include "cluster/policies/random_victim.h"
#include "cluster/policies/work_rate.h"
#include "scripted_policy.h"

namespace {

using namespace bough::cluster;
using bough_test::scripted_policy;

scripted_policy scripted(const char* name, int size, std::uint64_t seed = 1, int rank = 0) {
    return scripted_policy(make_policy(name, rank, size, seed), size);
}

// ---- all of them

TEST(policies, of_one_rank_do_nothing) {
    for (const std::string& name : policy_names()) {
        auto p = scripted(name.c_str(), 1);
        p.now = 1_s;
        EXPECT_EQ(p.victim(), -1) << name;
        EXPECT_EQ(p.policy().wake(true), never) << name;
    }
}

TEST(policies, never_name_the_rank_itself) {
    for (const std::string& name : policy_names()) {
        for (int rank = 0; rank < 4; ++rank) {
            auto p = scripted(name.c_str(), 4, 5, rank);
            for (auto& s : p.others)
                s = {100, 10, 2};
            std::set<int> seen;
            for (int i = 0; i < 200; ++i) {
                p.now += 1_s;
                for (const std::string& order : p.orders(true)) {
                    const int r = order.back() - '0';
                    EXPECT_NE(r, rank) << name;
                    seen.insert(r);
                    if (order[0] == 's')
                        i % 3 == 0 ? p.gives(r) : p.has_nothing(r);
                    else
                        p.policy().told(r, p.others[static_cast<std::size_t>(r)], p.now);
                }
            }
            EXPECT_GE(seen.size(), 3u) << name;  // everybody is asked or robbed
        }
    }
}

TEST(policies, have_one_steal_on_its_way) {
    for (const std::string& name : policy_names()) {
        auto p = scripted(name.c_str(), 4);
        p.others.assign(4, {100, 10, 2});
        p.victim(false);
        p.now += 1_s;  // the first automatic refresh is due
        EXPECT_NE(p.victim(), -1) << name;
        p.now += 10_s;
        for (const std::string& order : p.orders(true))
            EXPECT_EQ(order[0], 'a') << name;
    }
}

TEST(policies, of_an_unknown_name_are_refused) {
    try {
        make_policy("fastest", 0, 2, 1);
        FAIL();
    } catch (const std::invalid_argument& e) {
        EXPECT_STREQ(
            e.what(),
            "unknown policy 'fastest'; allowed: random, pure-random, performance, performance-as-coded, "
            "performance-no-auxiliary, tasks-only, two-choices");
    }
}

// ---- random

TEST(random_victim, goes_back_to_the_last_one_that_gave) {
    auto p = scripted("random", 8);
    const int first = p.victim();
    p.gives(first);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(p.victim(), first);
        p.gives(first);
    }
    EXPECT_EQ(p.victim(), first);
    p.has_nothing(first);
    const int second = p.victim();  // at once, one at random
    ASSERT_NE(second, -1);
    p.has_nothing(second);
    EXPECT_EQ(p.victim(), -1);  // the round has failed
    EXPECT_EQ(p.policy().wake(true), p.now + 200_us);
}

TEST(random_victim, doubles_its_pause_up_to_the_cap) {
    auto p = scripted("pure-random", 8);
    time_ns wanted = 200_us;
    for (int i = 0; i < 20; ++i) {
        const int r = p.victim();
        ASSERT_NE(r, -1) << i;
        p.has_nothing(r);
        EXPECT_EQ(p.victim(), -1);
        EXPECT_EQ(p.policy().wake(true) - p.now, wanted);
        p.now += wanted - 1;
        EXPECT_EQ(p.victim(), -1);
        p.now += 1;
        wanted = std::min(2 * wanted, 500_ms);
    }
    EXPECT_EQ(wanted, 500_ms);
    p.orders(false);  // it was fed by its own workers
    const int r = p.victim();
    p.has_nothing(r);
    EXPECT_EQ(p.policy().wake(true) - p.now, 200_us);
}

TEST(random_victim, treats_all_others_alike) {
    auto p = scripted("pure-random", 5, 11, 2);
    std::vector<int> times(5);
    for (int i = 0; i < 4'000; ++i) {
        const int r = p.victim();
        ++times[static_cast<std::size_t>(r)];
        p.gives(r);
    }
    EXPECT_EQ(times[2], 0);
    for (const int r : {0, 1, 3, 4})
        EXPECT_NEAR(times[static_cast<std::size_t>(r)], 1'000, 150);
}

// ---- formulas

TEST(work_rate, is_formula_3_1) {
    work_rate rate;
    EXPECT_DOUBLE_EQ(rate.value(), 1.0);
    rate.task_ended(15_ms, 0);  // busy: share 1 of a cycle of 15,000 us
    const double first = 0.65 * std::log(3.72) * std::log(15'002.72) + 0.35;
    EXPECT_DOUBLE_EQ(rate.value(), first);
    rate.task_ended(1_ms, 3_ms);
    const double second = 0.65 * std::log(2.97) * std::log(4'002.72) + 0.35 * first;
    EXPECT_DOUBLE_EQ(rate.value(), second);
    for (int i = 0; i < 50; ++i)
        rate.task_ended(15_ms, 0);
    EXPECT_NEAR(rate.value(), 12.6, 0.1);
    rate.task_ended(0, 0);
    EXPECT_TRUE(std::isfinite(rate.value()));
}

TEST(delay, is_formula_3_2_and_converges) {
    const parameters with;
    EXPECT_DOUBLE_EQ(smoothed_delay(0, 100_us, 16, with), 0.65 * std::log(1602.72));
    double d = 0;
    for (int i = 0; i < 50; ++i)
        d = smoothed_delay(d, 100_us, 16, with);
    EXPECT_NEAR(d, 7.4, 0.1);
    EXPECT_DOUBLE_EQ(smoothed_delay(1, 0, 16, with), 0.65 * std::log(2.72) + 0.35);
}

TEST(score, is_formula_3_3) {
    const parameters with;
    struct row {
        known_rank of;
        double score;
    };
    const row
        table
            [] =
                {
                    {{12.6, 1, 7.4}, 5.2},
                    {{1.0, 7, 7.4}, -0.4},  // before tasks have ended, fewer than 8 are not worth it
                    {{1.0, 8, 7.4}, 0.6},
                    {{12.6, 0, 7.4}, -7.4},
                    {{0, 10'000, 0.5}, 0.5},  // the least rate
                    {{-5, 10'000, 0.5}, 0.5},
                    {{2.5, 4, 0}, 10},
                };
    for (const row& r : table)
        EXPECT_NEAR(steal_score(r.of, with), r.score, 1e-9)
            << r.of.rate << " " << r.of.tasks << " " << r.of.delay;
}

TEST(refresh_timer, waits_longer_with_a_target_and_shorter_without) {
    const parameters with;
    refresh_timer timer(with);
    timer.start(0);
    EXPECT_EQ(timer.due(), 1_ms);
    for (const time_ns wanted : {61_ms, 121_ms, 181_ms, 240_ms, 240_ms}) {
        timer.refreshed(true, 5_s);
        EXPECT_EQ(timer.wait(), wanted);
        EXPECT_EQ(timer.due(), 5_s + wanted);
    }
    for (const time_ns wanted : {120_ms, 5_ms, 5_ms}) {
        timer.refreshed(false, 7_s);
        EXPECT_EQ(timer.wait(), wanted);
    }
    timer.refreshed(true, 9_s);
    EXPECT_EQ(timer.wait(), 65_ms);
}

// ---- performance-driven

TEST(performance_victim, steals_from_the_best_score_and_keeps_it) {
    auto p = scripted("performance", 4, 1, 1);
    p.others = {{5, 12, 2}, {900, 12, 2}, {50, 12, 2}, {20, 12, 2}};
    EXPECT_EQ(p.victim(), 2);  // it is starved, has no target, and asks; never itself
    EXPECT_EQ(p.questions, 3);
    p.others[2].tasks = 0;
    p.gives(2);
    EXPECT_EQ(p.victim(), 2);  // the cached target
    EXPECT_EQ(p.questions, 3);
    p.has_nothing(2);
    EXPECT_EQ(p.victim(), 3);  // the auxiliary refresh
    EXPECT_EQ(p.questions, 6);
    p.has_nothing(3);
    EXPECT_EQ(p.victim(), -1);
    EXPECT_EQ(p.questions, 6);  // a pause, no storm of questions
    p.now += 200_us;
    EXPECT_EQ(p.victim(), 3);
}

TEST(performance_victim, pauses_if_nobody_has_a_score_above_0) {
    auto p = scripted("performance", 4);
    p.others.assign(4, {1, 1.0, 16});
    EXPECT_EQ(p.victim(), -1);
    EXPECT_EQ(p.questions, 3);
    const time_ns paused = p.now;
    EXPECT_LE(p.policy().wake(true), paused + 200_us);
}

TEST(performance_victim, prefers_the_near_one) {
    auto p = scripted("performance", 3);
    auto& policy = dynamic_cast<performance_victim&>(p.policy());
    p.orders(false);  // its time begins
    const auto refresh = [&](time_ns near, time_ns far) {
        p.now = p.policy().wake(false);
        EXPECT_EQ(p.orders(false), (std::vector<std::string>{"ask 1", "ask 2"}));
        p.now += near;
        policy.told(1, {2, 12, 15}, p.now);
        p.now += far - near;
        policy.told(2, {2, 12, 15}, p.now);
    };
    for (int i = 0; i < 12; ++i)
        refresh(10_us, 5'010_us);  // 5 ms more, injected
    EXPECT_EQ(policy.target(), 1);
    EXPECT_NEAR(policy.known(1).delay, std::log(2.72 + 10 * 15), 1e-4);
    EXPECT_NEAR(policy.known(2).delay, std::log(2.72 + 5'010 * 15), 1e-4);
    for (int i = 0; i < 12; ++i)
        refresh(10_us, 20_us);  // the detour is gone
    EXPECT_NEAR(policy.known(2).delay, std::log(2.72 + 20 * 15), 1e-4);
}

TEST(performance_victim, refreshes_by_itself) {
    auto p = scripted("performance", 3);
    p.round_trip = 0;
    p.others.assign(3, {10, 12, 2});
    EXPECT_EQ(p.victim(false), -1);
    time_ns last = 0;
    for (const time_ns wanted : {1_ms, 61_ms, 121_ms, 181_ms, 240_ms}) {
        EXPECT_EQ(p.policy().wake(false), last + wanted);
        last = p.now = p.policy().wake(false);
        p.questions = 0;
        EXPECT_EQ(p.victim(false), -1);
        EXPECT_EQ(p.questions, 2);
    }
    p.others.assign(3, {0, 12, 2});
    for (const time_ns wanted : {240_ms, 120_ms, 5_ms}) {
        EXPECT_EQ(p.policy().wake(false), last + wanted);
        last = p.now = p.policy().wake(false);
        EXPECT_EQ(p.victim(false), -1);
    }
}

TEST(performance_victim, joins_the_refresh_that_is_on_its_way) {
    auto p = scripted("performance", 3);
    p.orders(false);
    p.now = 1_ms;
    EXPECT_EQ(p.orders(true), (std::vector<std::string>{"ask 1", "ask 2"}));  // automatic
    EXPECT_TRUE(p.orders(true).empty());                                      // starved meanwhile
    p.policy().told(1, {9, 12, 2}, p.now);
    EXPECT_TRUE(p.orders(true).empty());
    p.policy().told(2, {99, 12, 2}, p.now);
    EXPECT_EQ(p.orders(true), std::vector<std::string>{"steal 2"});
}

// Beyond refresh_asks other ranks a refresh asks some of them, others each time, and never one twice at once.
TEST(performance_victim, asks_a_bounded_number_of_ranks) {
    auto p = scripted("performance", 1'000, 1, 7);
    p.orders(0);  // its time begins
    p.now = 1_ms;
    std::set<std::string> seen;
    for (int i = 0; i < 200; ++i) {
        const auto asked = p.orders(0);
        ASSERT_EQ(asked.size(), 32u);
        EXPECT_EQ(std::set<std::string>(asked.begin(), asked.end()).size(), 32u);
        seen.insert(asked.begin(), asked.end());
        int rank = 0;
        for (const std::string& order : asked) {
            rank = std::stoi(order.substr(4));
            p.policy().told(rank, {order == asked.back() ? 9u : 1u, 12, 2}, p.now);
        }
        const auto steal = p.orders(1);
        ASSERT_EQ(steal, std::vector<std::string>{"steal " + std::to_string(rank)});
        p.has_nothing(rank);
        p.now += 1_s;
    }
    EXPECT_GT(seen.size(), 900u);  // 200 draws of 32 miss few of 999
    EXPECT_EQ(seen.count("ask 7"), 0u);
}

TEST(performance_victim, without_auxiliary_refresh_waits_for_the_timer) {
    auto p = scripted("performance-no-auxiliary", 3);
    p.others.assign(3, {10, 12, 2});
    EXPECT_EQ(p.victim(), -1);
    EXPECT_EQ(p.questions, 0);
    p.now = 1_ms;
    EXPECT_EQ(p.victim(), 1);
}

TEST(performance_victim, as_coded_keeps_a_stale_target) {
    auto p = scripted("performance-as-coded", 3);
    p.others.assign(3, {10, 12, 2});
    EXPECT_EQ(p.victim(), 1);
    p.gives(1);
    EXPECT_EQ(p.victim(), 1);
    p.others.assign(3, {0, 12, 2});
    p.has_nothing(1);
    EXPECT_EQ(p.victim(), 1);  // asked all, found nobody, goes there again
    p.has_nothing(1);
    EXPECT_EQ(p.victim(), -1);
}

TEST(tasks_only, ignores_rate_and_delay) {
    auto p = scripted("tasks-only", 3);
    p.others = {{0, 0, 0}, {3, 0.0001, 1'000}, {2, 100, 1}};
    EXPECT_EQ(p.victim(), 1);
}

// ---- two choices

TEST(two_choices, robs_the_richer_of_two) {
    int richest = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        auto p = scripted("two-choices", 4, seed);
        p.others = {{0, 1, 1}, {1, 1, 1}, {5, 1, 1}, {9, 1, 1}};
        const int r = p.victim();
        EXPECT_EQ(p.questions, 2);
        EXPECT_GE(r, 2);  // never the poorest
        richest += r == 3;
    }
    EXPECT_NEAR(richest, 200, 40);  // it is among the two in two cases of three
}

TEST(two_choices, pauses_if_neither_has_any) {
    auto p = scripted("two-choices", 4);
    EXPECT_EQ(p.victim(), -1);
    EXPECT_EQ(p.questions, 2);
    EXPECT_EQ(p.policy().wake(true), p.now + 200_us);
    p.now += 200_us;
    EXPECT_EQ(p.victim(), -1);
    EXPECT_EQ(p.policy().wake(true), p.now + 400_us);
}

TEST(two_choices, asks_the_only_other_one) {
    auto p = scripted("two-choices", 2);
    p.others[1].tasks = 1;
    EXPECT_EQ(p.victim(), 1);
    EXPECT_EQ(p.questions, 1);
}

}  // namespace
