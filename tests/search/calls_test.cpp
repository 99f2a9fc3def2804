// Several searches: one after the other, at the same time, one within another; in arenas, and cancelled from outside.

#include <bough/bough.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "search/random_tree.h"
#include "search/skeletons.h"

namespace {

using bough_test::random_tree;
using bough_test::tree_sum;
using bough_test::way;
using bough_test::ways;

tree_sum expected_of(const random_tree& tree) {
    tree_sum sum;
    sum_below(tree, tree.root(), sum);
    return sum;
}

TEST(search_calls, threads_search_at_the_same_time) {
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (unsigned t = 0; t < 3; ++t)
        threads.emplace_back([t, &wrong] {
            const random_tree tree(t, 8, 4);
            const tree_sum expected = expected_of(tree);
            for (int round = 0; round < 5; ++round)
                for (const way& w : ways())
                    wrong += !(bough::search::enumerate(tree, tree.root(), tree_sum{}, w.options).value ==
                               expected);
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(wrong, 0);
}

// A tree whose visits search another one.
struct outer_sum {
    const bough::search::options* inner = nullptr;
    std::uint64_t nodes = 0, right = 0;
    void visit(const random_tree&, const random_tree::node& n, unsigned) {
        const random_tree tree(n.id, 4, 3);
        ++nodes;
        right += bough::search::enumerate(tree, tree.root(), tree_sum{}, *inner).value == expected_of(tree);
    }
    void join(const outer_sum& other) {
        nodes += other.nodes;
        right += other.right;
    }
};

TEST(search_calls, a_visit_may_search) {
    const random_tree tree(5, 5, 3);
    const std::uint64_t nodes = expected_of(tree).nodes;
    for (const way& outer : ways())
        for (const way& inner : {ways()[4], ways()[7], ways()[11]}) {
            SCOPED_TRACE(outer.name + ", inside " + inner.name);
            const auto found =
                bough::search::enumerate(tree, tree.root(), outer_sum{&inner.options}, outer.options);
            EXPECT_EQ(found.value.nodes, nodes);
            EXPECT_EQ(found.value.right, nodes);
        }
}

TEST(search_calls, a_loop_may_search) {
    const std::vector<way> all = ways();
    std::atomic<int> wrong{0};
    bough::parallel_for(0, 60, [&](int i) {
        const random_tree tree(static_cast<std::uint64_t>(i), 6, 4);
        const way& w = all[static_cast<std::size_t>(i) % all.size()];
        wrong +=
            !(bough::search::enumerate(tree, tree.root(), tree_sum{}, w.options).value == expected_of(tree));
    });
    EXPECT_EQ(wrong, 0);
}

// Which slots' threads have visited.
struct seen_slots {
    int most = 0;
    void visit(const random_tree&, const random_tree::node&, unsigned) {
        most = std::max(most, bough::this_task_arena::max_concurrency());
    }
    void join(const seen_slots& other) { most = std::max(most, other.most); }
};

TEST(search_calls, the_arena_can_be_chosen) {
    const random_tree tree(2, 8, 3);
    bough::task_arena arena(3);
    for (const way& w : ways()) {
        if (w.options.how == bough::search::skeleton::sequential)
            continue;
        SCOPED_TRACE(w.name);
        bough::search::options o = w.options;
        o.threads = 5;
        EXPECT_EQ(bough::search::enumerate(tree, tree.root(), seen_slots{}, o).value.most, 5);
        o.arena = &arena;
        EXPECT_EQ(bough::search::enumerate(tree, tree.root(), seen_slots{}, o).value.most, 3);
        EXPECT_EQ(bough::search::enumerate(tree, tree.root(), tree_sum{}, o).value, expected_of(tree));
    }
}

// A tree without an end.
struct endless {
    using node = std::uint64_t;
    struct children {
        children(const endless&, std::uint64_t n) : parent(n) {}
        std::size_t num_children() const { return 2; }
        std::uint64_t next() { return 2 * parent + made++; }
        std::uint64_t parent, made = 0;
    };
};
struct cancels {
    bough::task_group* around = nullptr;
    std::uint64_t nodes = 0;
    void visit(const endless&, std::uint64_t, unsigned) {
        if (++nodes == 3000)
            around->cancel();
    }
    void join(const cancels& other) { nodes += other.nodes; }
};

TEST(search_calls, a_cancelled_group_ends_its_searches) {
    for (const way& w : ways()) {
        if (w.options.how == bough::search::skeleton::depth_bounded && w.options.spawn_depth == 0)
            continue;  // one walk, as the sequential one
        SCOPED_TRACE(w.name);
        bough::search::options o = w.options;
        o.depth_limit = 60;
        bool is_complete = true;
        bough::task_group group;
        group.run_and_wait([&] {
            const auto found = bough::search::enumerate(endless{}, 1u, cancels{&group}, o);
            is_complete = found.counted.complete;
        });
        EXPECT_FALSE(is_complete);
    }
}

TEST(search_calls, a_watcher_sees_what_was_done) {
    const random_tree tree(2, 9, 4);
    for (const way& w : ways()) {
        SCOPED_TRACE(w.name);
        bough::search::progress seen;
        bough::search::options o = w.options;
        o.watch = &seen;
        const auto found = bough::search::maximise(tree, tree.root(), o);
        EXPECT_EQ(seen.nodes, found.counted.nodes);
        EXPECT_TRUE(seen.has_best);
        EXPECT_EQ(seen.best, found.objective);
        if (w.options.how != bough::search::skeleton::sequential) {
            EXPECT_EQ(seen.spawned, found.counted.spawned);
            EXPECT_EQ(seen.executed, found.counted.executed);
        }
    }
}

}  // namespace
