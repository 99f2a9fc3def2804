// Every skeleton on random trees: each node is visited once, an optimum is one, a decision is right; nodes and their
// children end as often as they begin, whatever is thrown.

#include <gtest/gtest.h>

#include <cstdint>

#include "search/random_tree.h"
#include "search/skeletons.h"

namespace {

using bough_test::bounded_tree;
using bough_test::random_tree;
using bough_test::tree_sum;
using bough_test::way;
using bough_test::ways;

void expect_whole(const bough::search::counters& c) {
    EXPECT_EQ(c.spawned, c.executed);
    EXPECT_EQ(c.executed, c.local);
    EXPECT_EQ(c.remote, 0u);
    EXPECT_TRUE(c.complete);
    EXPECT_EQ(random_tree::node::alive, 0);
    EXPECT_EQ(random_tree::children::alive, 0);
}

TEST(search_trees, each_node_is_visited_once) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        const random_tree tree(seed, 4 + seed % 6, 2 + seed % 4);
        tree_sum expected;
        sum_below(tree, tree.root(), expected);
        for (const way& w : ways()) {
            SCOPED_TRACE(w.name + ", seed " + std::to_string(seed));
            const auto found = bough::search::enumerate(tree, tree.root(), tree_sum{}, w.options);
            EXPECT_EQ(found.value, expected);
            EXPECT_EQ(found.counted.nodes, expected.nodes);
            EXPECT_EQ(found.counted.pruned, 0u);
            expect_whole(found.counted);
        }
    }
}

TEST(search_trees, no_node_below_the_limit_is_visited) {
    for (unsigned limit = 0; limit < 6; ++limit)
        for (const way& w : ways()) {
            SCOPED_TRACE(w.name + ", limit " + std::to_string(limit));
            const random_tree tree(3, 9, 4);
            tree_sum expected;
            sum_below(tree, tree.root(), expected, limit);
            bough::search::options o = w.options;
            o.depth_limit = limit;
            const auto found = bough::search::enumerate(tree, tree.root(), tree_sum{}, o);
            EXPECT_EQ(found.value, expected);
            expect_whole(found.counted);
        }
}

TEST(search_trees, a_chain_is_as_deep_as_it_is) {
    struct chain {
        using node = unsigned;
        struct children {
            children(const chain& of, unsigned n) : below(n + 1), number(n < of.length) {}
            std::size_t num_children() const { return number; }
            unsigned next() const { return below; }
            unsigned below;
            bool number;
        };
        unsigned length;
    };
    struct deepest {
        unsigned depth = 0, nodes = 0;
        void visit(const chain&, unsigned n, unsigned d) {
            depth = std::max(depth, n == d ? d : 0);
            ++nodes;
        }
        void join(const deepest& other) {
            depth = std::max(depth, other.depth);
            nodes += other.nodes;
        }
    };
    for (const way& w : ways()) {
        SCOPED_TRACE(w.name);
        const auto found = bough::search::enumerate(chain{20'000}, 0u, deepest{}, w.options);
        EXPECT_EQ(found.value.depth, 20'000u);
        EXPECT_EQ(found.value.nodes, 20'001u);
    }
}

template <bool Largest>
void compare_best(unsigned seed) {
    const bounded_tree tree(Largest, seed, 3 + seed % 5, 4);
    const random_tree unbounded(seed, 3 + seed % 5, 4);
    const std::int64_t best = tree.best_below(tree.root());
    const bool is_there = best != (Largest ? -1'000'000 : 1'000'000);
    for (const way& w : ways()) {
        SCOPED_TRACE(w.name + ", seed " + std::to_string(seed));
        const auto look = [&](const auto& space) {
            const auto found = Largest ? bough::search::maximise(space, space.root(), w.options)
                                       : bough::search::minimise(space, space.root(), w.options);
            ASSERT_EQ(found.node.has_value(), is_there);
            if (!is_there)
                return;
            EXPECT_EQ(found.objective, best);
            EXPECT_EQ(tree.objective(*found.node), best);
            EXPECT_GE(found.counted.bounds, 1u);
            EXPECT_EQ(found.counted.spawned, found.counted.executed);
        };
        look(tree);
        look(unbounded);
        const auto decide = [&](std::int64_t target) {
            return Largest ? bough::search::decide_at_least(tree, tree.root(), target, w.options)
                           : bough::search::decide_at_most(tree, tree.root(), target, w.options);
        };
        const std::int64_t step = Largest ? 1 : -1;
        const auto right = decide(best), easy = decide(best - 3000 * step), impossible = decide(best + step);
        ASSERT_EQ(right.node.has_value(), is_there);
        ASSERT_EQ(easy.node.has_value(), is_there);
        EXPECT_FALSE(impossible.node.has_value());
        for (const auto* found : {&right, &easy, &impossible})
            EXPECT_EQ(found->counted.spawned, found->counted.executed);
        if (is_there) {
            EXPECT_EQ(right.objective, best);
            EXPECT_GE(step * (easy.objective - (best - 3000 * step)), 0);
            EXPECT_EQ(tree.objective(*easy.node), easy.objective);
        }
    }
    EXPECT_EQ(random_tree::node::alive, 0);
    EXPECT_EQ(random_tree::children::alive, 0);
}

TEST(search_trees, the_best_node_is_found) {
    for (unsigned seed = 0; seed < 30; ++seed) {
        compare_best<true>(seed);
        compare_best<false>(seed);
    }
}

TEST(search_trees, bounds_prune) {
    const bounded_tree tree(true, 5, 8, 4);
    bough::search::options o;
    o.how = bough::search::skeleton::sequential;
    const auto found = bough::search::maximise(tree, tree.root(), o);
    tree_sum all;
    sum_below(tree, tree.root(), all);
    EXPECT_GT(found.counted.pruned, 0u);
    EXPECT_LT(found.counted.nodes, all.nodes / 2);
}

struct star {
    using node = int;  // -1: the root, with the values 9, 8, ... 0 below
    struct children {
        children(const star&, int n) : is_root(n == -1) {}
        std::size_t num_children() const { return is_root ? 10 : 0; }
        int next() { return 9 - made++; }
        bool is_root;
        int made = 0;
    };
    std::int64_t objective(int n) const { return n == 9 ? 5 : 0; }
    std::int64_t bound(int n) const { return n == -1 ? 9 : n; }
    static constexpr bool bounds_fall = true;
};

// A node's siblings are left out behind the first one that is pruned, and no others.
TEST(search_trees, falling_bounds_prune_siblings) {
    bough::search::options o;
    o.how = bough::search::skeleton::sequential;
    const auto found = bough::search::maximise(star{}, -1, o);
    EXPECT_EQ(found.objective, 5);
    EXPECT_EQ(found.counted.nodes, 5u);  // the root, 9 to 6; 5 is pruned, and with it all others
    EXPECT_EQ(found.counted.pruned, 1u);
}

TEST(search_trees, tiny_trees_end) {
    for (int run = 0; run < 200; ++run)
        for (const way& w : ways()) {
            SCOPED_TRACE(w.name);
            const random_tree tree(static_cast<std::uint64_t>(run), static_cast<unsigned>(run % 4), 3);
            tree_sum expected;
            sum_below(tree, tree.root(), expected);
            const auto found = bough::search::enumerate(tree, tree.root(), tree_sum{}, w.options);
            EXPECT_EQ(found.value, expected);
            expect_whole(found.counted);
        }
}

TEST(search_trees, what_is_thrown_comes_out) {
    for (int place = 1; place <= 4; ++place)
        for (const std::uint64_t one_in : {1, 5, 200})
            for (const way& w : ways()) {
                SCOPED_TRACE(w.name + ", place " + std::to_string(place) + ", one in " +
                             std::to_string(one_in));
                random_tree tree(11, 9, 4);
                tree.throws_at = place;
                tree.throws_one_in = one_in;
                const auto search = [&] {
                    if (place == 3)
                        bough::search::maximise(tree, tree.root(), w.options);
                    else
                        bough::search::enumerate(tree, tree.root(), tree_sum{}, w.options);
                };
                EXPECT_THROW(search(), std::runtime_error);
                EXPECT_EQ(random_tree::node::alive, 0);
                EXPECT_EQ(random_tree::children::alive, 0);
                tree.throws_at = 0;
                EXPECT_NO_THROW(search());
            }
}

TEST(search_trees, options_that_make_no_sense_are_refused) {
    const random_tree tree(1, 3, 3);
    bough::search::options o;
    o.how = bough::search::skeleton::budget;
    o.budget = 0;
    EXPECT_THROW(bough::search::enumerate(tree, tree.root(), tree_sum{}, o), std::invalid_argument);
}

}  // namespace
