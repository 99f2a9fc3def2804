// Whole searches in virtual time: every task is executed once, and every search ends, whatever the order of messages.

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

}  // namespace
