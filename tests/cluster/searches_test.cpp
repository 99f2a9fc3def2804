// Whole searches in virtual time: every task is executed once, and every search ends, whatever the order of messages.

#include <algorithm>
#include <gtest/gtest.h>

#include "virtual_cluster.h"

namespace {

using namespace bough::cluster;
using bough_test::virtual_cluster;
using bough_test::virtual_run;

TEST(searches, tiny_trees_end_under_many_seeds) {
    for (const std::string& policy : policy_names()) {
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            const auto tree = random_tree(seed, 1 + static_cast<std::uint32_t>(seed % 40), 4, 50'000);
            virtual_cluster all(
                {.ranks = 1 + static_cast<int>(seed % 5), .policy = policy, .seed = seed, .searches = 3},
                tree);
            ASSERT_TRUE(all.runs_to_its_end()) << policy << ", seed " << seed;
            ASSERT_EQ(all.executed(), 3 * tree.tasks.size()) << policy << ", seed " << seed;
            ASSERT_EQ(all.spawned() + 3, all.executed());
        }
    }
}

// Messages take up to 3,000 times as long as the fastest: they overtake each other, and the next search begins while
// answers of this one are under way.
TEST(searches, end_though_messages_overtake_each_other) {
    for (const std::string& policy : policy_names()) {
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            const auto tree = random_tree(seed, 60, 3, 30'000);
            virtual_cluster all({.ranks = 5,
                                 .policy = policy,
                                 .seed = seed,
                                 .searches = 4,
                                 .jitter = 200'000,
                                 .late_share = 0.02},
                                tree);
            ASSERT_TRUE(all.runs_to_its_end()) << policy << ", seed " << seed;
            ASSERT_EQ(all.executed(), 4 * tree.tasks.size()) << policy << ", seed " << seed;
        }
    }
}

TEST(searches, spread_over_the_ranks) {
    for (const std::string& policy : policy_names()) {
        const auto tree = random_tree(7, 5'000, 4, 1'000'000);
        virtual_cluster all({.ranks = 4, .policy = policy, .seed = 3}, tree);
        ASSERT_TRUE(all.runs_to_its_end());
        EXPECT_EQ(all.executed(), tree.tasks.size());
        std::uint64_t given = 0, taken = 0;
        for (int rank = 0; rank < 4; ++rank) {
            given += all.counters(rank).tasks_given;
            taken += all.counters(rank).tasks_taken;
            EXPECT_GT(all.locality(rank).executed(), tree.tasks.size() / 8) << policy << ", rank " << rank;
        }
        EXPECT_EQ(given, taken);
        EXPECT_LT(all.now(), tree.work() / 8 * 3 / 2) << policy;
    }
}

// A value for each task; the first tasks of a tree are found first.
std::int64_t value_of(std::uint32_t task) {
    return static_cast<std::int64_t>(random_numbers::mix(task / 2) % 1'000);
}

TEST(searches, spread_the_best_bound_to_all_ranks) {
    for (const int most_flat : {16, 2}) {  // directly, and by trees
        for (std::uint64_t seed = 1; seed <= 50; ++seed) {
            const auto tree = random_tree(seed, 400, 4, 300'000);
            virtual_run run{.ranks = 9, .seed = seed};
            run.with.flat_broadcast = most_flat;
            virtual_cluster all(run, tree);
            std::vector<std::int64_t> found(9, worker_mail::no_bound);
            for (int rank = 0; rank < 9; ++rank) {
                all.locality(rank).on_run = [&, rank](std::uint32_t task) {
                    // The last tasks come too late: their bounds may be under way when the search is over.
                    if (task < 200 && value_of(task) > std::max(found[static_cast<std::size_t>(rank)],
                                                                all.locality(rank).bound())) {
                        found[static_cast<std::size_t>(rank)] = value_of(task);
                        all.locality(rank).mail().found_bound(value_of(task));
                    }
                };
            }
            ASSERT_TRUE(all.runs_to_its_end());
            const auto best = *std::max_element(found.begin(), found.end());
            for (int rank = 0; rank < 9; ++rank)
                EXPECT_EQ(std::max(found[static_cast<std::size_t>(rank)], all.locality(rank).bound()), best)
                    << "seed " << seed << ", rank " << rank;
        }
    }
}

TEST(searches, end_early_when_a_target_is_found) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const auto tree = random_tree(seed, 2'000, 4, 300'000);
        virtual_run run{.ranks = 1 + static_cast<int>(seed % 9), .seed = seed};
        run.with.flat_broadcast = 3;
        virtual_cluster all(run, tree);
        for (int rank = 0; rank < run.ranks; ++rank)
            all.locality(rank).on_run = [&, rank](std::uint32_t task) {
                if (task % 100 == 99)  // several ranks find one at about the same time
                    all.locality(rank).mail().found_target();
            };
        ASSERT_TRUE(all.runs_to_its_end());
        EXPECT_LT(all.executed(), tree.tasks.size()) << "seed " << seed;
        EXPECT_EQ(all.executed() + all.dropped(), all.spawned() + 1);
    }
}

TEST(searches, reach_a_thousand_ranks) {
    const auto tree = random_tree(1, 20'000, 5, 2'000'000);
    virtual_cluster all({.ranks = 1'000, .workers = 1}, tree);
    ASSERT_TRUE(all.runs_to_its_end(20'000'000));
    EXPECT_EQ(all.executed(), tree.tasks.size());
}

// Several ranks find the same bound, or a target, at once: their trees cross, and must not cut each other off.
TEST(searches, spread_equal_news_of_several_ranks) {
    task_tree tree;
    tree.tasks.push_back({100'000'000, 0, 0, 0});
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        virtual_run run{.ranks = 60, .seed = seed, .jitter = 2'000};
        run.with.flat_broadcast = 2;
        virtual_cluster all(run, tree);
        random_numbers random(seed);
        std::vector<int> finders;
        for (int rank = 0; rank < run.ranks; ++rank)
            if (random.below(4) == 0)
                finders.push_back(rank);
        all.begins();
        for (const int rank : finders) {
            all.locality(rank).mail().found_bound(5);
            all.nudge(rank, static_cast<time_ns>(10'000 + random.below(4'000)));
        }
        ASSERT_TRUE(all.runs_to_its_end());
        for (int rank = 0; rank < run.ranks && !finders.empty(); ++rank) {
            const bool found = std::find(finders.begin(), finders.end(), rank) != finders.end();
            EXPECT_TRUE(found || all.locality(rank).bound() == 5) << "seed " << seed << ", rank " << rank;
        }
    }
}

// The first search is decided by several ranks at once. What they say may arrive in the second one, which is to run
// whole.
TEST(searches, do_not_hear_news_of_the_one_before) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto tree = random_tree(seed, 300, 4, 200'000);
        virtual_run run{.ranks = 6, .seed = seed, .searches = 2, .late_share = 0.1};
        virtual_cluster all(run, tree);
        std::uint64_t in_second = 0;
        for (int rank = 0; rank < run.ranks; ++rank)
            all.locality(rank).on_run = [&, rank](std::uint32_t task) {
                in_second += all.search_of(rank) == 2;
                if (all.search_of(rank) == 1 && task >= 10) {
                    all.locality(rank).mail().found_bound(1'000 + task);
                    all.locality(rank).mail().found_target();
                }
            };
        ASSERT_TRUE(all.runs_to_its_end());
        EXPECT_EQ(in_second, tree.tasks.size()) << "seed " << seed;
        for (int rank = 0; rank < run.ranks; ++rank)
            EXPECT_EQ(all.locality(rank).bound(), worker_mail::no_bound) << "seed " << seed;
    }
}

// Eight tasks of 10 ms for two ranks of four workers: a rank looks for more while some of its workers run tasks.
TEST(searches, feed_all_workers_of_a_rank) {
    task_tree tree;
    tree.tasks.push_back({1'000, 1, 8, 0});
    for (int i = 0; i < 8; ++i)
        tree.tasks.push_back({10'000'000, 9, 0, 1});
    for (const std::string& policy : policy_names()) {
        if (policy == "performance-no-auxiliary")
            continue;  // it waits for its timer
        virtual_cluster all({.ranks = 2, .workers = 4, .policy = policy, .jitter = 0}, tree);
        ASSERT_TRUE(all.runs_to_its_end());
        EXPECT_LT(all.now(), 13'000'000) << policy;
    }
}

}  // namespace
