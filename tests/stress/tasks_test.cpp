// Trees of tasks: spawn and steal race for the last task of a queue, queues grow, groups are waited for everywhere.

#include "support/fib.h"
#include "unit/api_support.h"

namespace {

using bough_test::fib_by_group;
using bough_test::fib_by_invoke;
using bough_test::visits;

TEST(tasks, fib_again_and_again) {
    bough_test::budget rounds(200, 1000);
    while (rounds.next()) {
        ASSERT_EQ(fib_by_invoke(15), 610);
        ASSERT_EQ(fib_by_group(13), 233);
    }
}

// A queue that grows to thousands while thieves take from its other end.
TEST(tasks, bursts_of_random_size) {
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(300, 1000);
    while (rounds.next()) {
        const std::size_t n =
            bough_test::uniform(generator, 1, std::size_t{1} << bough_test::uniform(generator, 1, 14));
        const int cost = 1 << bough_test::uniform(generator, 0, 7);
        visits seen(n);
        bough::task_group group;
        for (std::size_t i = 0; i < n; ++i)
            group.run([&seen, i, cost] {
                bough_test::work_a_little(cost);
                seen.hit(i);
            });
        ASSERT_EQ(group.wait(), bough::complete);
        ASSERT_TRUE(seen.each_once()) << n << " tasks";
    }
}

// A search tree of random shape whose nodes all belong to one group.
struct tree {
    std::uint64_t seed;
    bough::task_group group;
    std::atomic<std::uint64_t> nodes{0};
    std::atomic<std::uint64_t> sum{0};

    static unsigned children(std::uint64_t node, int depth) {
        return depth == 0 ? 0 : static_cast<unsigned>((node * 0x9e3779b97f4a7c15u >> 40) % 5);
    }
    void visit(std::uint64_t node, int depth) {
        nodes.fetch_add(1, std::memory_order_relaxed);
        sum.fetch_add(node, std::memory_order_relaxed);
        for (unsigned c = 0; c < children(node, depth); ++c) {
            const std::uint64_t child = node * 6364136223846793005u + c + seed;
            group.run([this, child, depth] { visit(child, depth - 1); });
        }
    }
    void serial(std::uint64_t node, int depth, std::uint64_t& count, std::uint64_t& total) const {
        ++count;
        total += node;
        for (unsigned c = 0; c < children(node, depth); ++c)
            serial(node * 6364136223846793005u + c + seed, depth - 1, count, total);
    }
};

TEST(tasks, random_search_trees) {
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(300, 1000);
    while (rounds.next()) {
        tree t{generator(), {}, {}, {}};
        std::uint64_t count = 0, total = 0;
        t.serial(t.seed, 8, count, total);
        t.group.run_and_wait([&] { t.visit(t.seed, 8); });
        ASSERT_EQ(t.nodes.load(), count) << "seed " << t.seed;
        ASSERT_EQ(t.sum.load(), total) << "seed " << t.seed;
    }
}

TEST(tasks, cancelled_at_random) {
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(1000, 700);
    while (rounds.next()) {
        const std::size_t n = bough_test::uniform(generator, 1, 300),
                          at = bough_test::uniform(generator, 0, n - 1);
        visits seen(n);
        auto alive = std::make_shared<int>(0);
        bough::task_group group;
        for (std::size_t i = 0; i < n; ++i)
            group.run([&seen, &group, i, at, alive] {
                seen.hit(i);
                if (i == at)
                    group.cancel();
            });
        const auto status = group.wait();
        ASSERT_TRUE(seen.none_twice());
        ASSERT_EQ(status, bough::canceled);
        ASSERT_EQ(seen.count(at), 1u);
        ASSERT_EQ(alive.use_count(), 1) << "a function that never ran was not destroyed by the end of wait";
    }
}

}  // namespace
