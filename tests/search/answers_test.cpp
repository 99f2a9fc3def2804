// Published answers, and answers of other methods: dynamic programming, brute force.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "examples/search/clique.h"
#include "examples/search/files.h"
#include "examples/search/graph.h"
#include "examples/search/knapsack.h"
#include "examples/search/programs.h"
#include "examples/search/queens.h"
#include "examples/search/tsp.h"
#include "search/skeletons.h"

namespace {

using bough_test::usual_ways;
using bough_test::way;
using bough_test::ways;

const std::string data = BOUGH_SEARCH_DATA;

void expect_whole(const searches::report& r) {
    EXPECT_EQ(r.wrong, "");
    EXPECT_EQ(r.counted.spawned, r.counted.executed);
    EXPECT_TRUE(r.counted.complete);
}

void expect_tree(const char* name, const way& w) {
    SCOPED_TRACE(w.name + ", " + name);
    const searches::named_tree* const tree = searches::find_tree(name);
    expect_whole(searches::run_uts(tree->parameters, &tree->size, w.options));
}

TEST(search_answers, a_small_unbalanced_tree) {
    searches::uts tree = searches::find_tree("T1")->parameters;
    tree.depth = 6;
    searches::uts wide = searches::find_tree("T3")->parameters;
    wide.root_children = 20;
    for (const searches::uts& t : {tree, wide}) {
        const auto expected =
            bough::search::enumerate(t, t.root(), searches::tree_size{}, ways()[0].options).value;
        for (const way& w : ways()) {
            SCOPED_TRACE(w.name);
            expect_whole(searches::run_uts(t, &expected, w.options));
        }
    }
}

TEST(search_answers, the_tree_t1) {
    expect_tree("T1", usual_ways()[2]);
}

TEST(search_answers, DISABLED_all_trees) {
    for (const char* name : {"T1", "T2", "T3", "T4", "T5"})
        for (const way& w : usual_ways())
            expect_tree(name, w);
    for (const char* name : {"T1L", "T2L", "T3L"})
        expect_tree(name, usual_ways()[2]);
}

void expect_clique(const char* name, std::int64_t size, const way& w) {
    SCOPED_TRACE(w.name + ", " + name);
    const searches::report best = searches::run_clique(name, {}, w.options);
    expect_whole(best);
    EXPECT_EQ(best.answer["objective"], size);
    const searches::report one = searches::run_clique(name, size, w.options);
    expect_whole(one);
    EXPECT_EQ(one.answer["objective"], size);
    const searches::report none = searches::run_clique(name, size + 1, w.options);
    expect_whole(none);
    EXPECT_EQ(none.answer["found"], false);
}

TEST(search_answers, maximum_cliques) {
    for (const way& w : usual_ways()) {
        expect_clique("hamming8-4", 16, w);
        expect_clique("keller4", 11, w);
        expect_clique("johnson8-2-4", 4, w);
        expect_clique("MANN_a9", 16, w);
        expect_clique("c-fat200-5", 58, w);
    }
    expect_clique("brock200_4", 17, usual_ways()[2]);
}

TEST(search_answers, DISABLED_larger_maximum_cliques) {
    for (const way& w : usual_ways()) {
        expect_clique("brock200_1", 21, w);
        expect_clique("brock200_2", 12, w);
        expect_clique("brock200_3", 15, w);
        expect_clique("brock200_4", 17, w);
        expect_clique("MANN_a27", 126, w);
        expect_clique("hamming6-2", 32, w);
        expect_clique("hamming10-2", 512, w);
        expect_clique("johnson16-2-4", 8, w);
        expect_clique("c-fat500-10", 126, w);
    }
}

TEST(search_answers, cliques_of_random_graphs) {
    std::mt19937 random(1);
    for (int round = 0; round < 60; ++round) {
        const std::size_t n = 1 + random() % 14;
        searches::graph g(n);
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < a; ++b)
                g.set_edge(a, b, random() % 10 < 6);
        std::int64_t best = 0;
        for (unsigned set = 0; set < 1u << n; ++set) {
            bool is_clique = true;
            for (std::size_t a = 0; a < n; ++a)
                for (std::size_t b = 0; b < a; ++b)
                    is_clique = is_clique && (!(set >> a & 1) || !(set >> b & 1) || g.has_edge(a, b));
            if (is_clique)
                best = std::max<std::int64_t>(best, __builtin_popcount(set));
        }
        const searches::clique<4> space(g);
        for (const way& w : ways()) {
            SCOPED_TRACE(w.name + ", round " + std::to_string(round));
            EXPECT_EQ(bough::search::maximise(space, space.root(), w.options).objective, best);
        }
    }
}

std::int64_t best_profit(const searches::knapsack_problem& p) {
    std::vector<std::int64_t> best(static_cast<std::size_t>(p.capacity) + 1, 0);
    for (const searches::knapsack_item& i : p.items)
        for (std::int64_t room = p.capacity; room >= i.weight; --room) {
            std::int64_t& at = best[static_cast<std::size_t>(room)];
            at = std::max(at, best[static_cast<std::size_t>(room - i.weight)] + i.profit);
        }
    return best.back();
}

// A task's root may be the best node of all: what leaves it out loses some of these.
TEST(search_answers, random_knapsacks) {
    std::mt19937 random(2);
    const std::vector<way> all = ways();
    for (std::size_t round = 0; round < 900; ++round) {
        searches::knapsack_problem p;
        const std::size_t items = 1 + random() % 12;
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < items; ++i) {
            p.items.push_back(
                {static_cast<std::int64_t>(random() % 50), static_cast<std::int64_t>(random() % 40)});
            sum += p.items.back().weight;
        }
        p.capacity = static_cast<std::int64_t>(random() % static_cast<unsigned>(sum + 1));
        const std::int64_t expected = best_profit(p);
        const searches::knapsack space(p);
        for (const way& w : all) {
            SCOPED_TRACE(w.name + ", round " + std::to_string(round));
            const auto found = bough::search::maximise(space, searches::knapsack::node{}, w.options);
            ASSERT_EQ(found.objective, expected);
            ASSERT_EQ(found.counted.spawned, found.counted.executed);
        }
    }
}

TEST(search_answers, the_knapsack_of_the_data) {
    for (const way& w : usual_ways()) {
        SCOPED_TRACE(w.name);
        const searches::report r = searches::run_knapsack(data + "/knapsackTest1.kp", {}, w.options);
        expect_whole(r);
        EXPECT_EQ(r.answer["objective"], 6925);
    }
}

TEST(search_answers, the_cities_of_burma) {
    for (const way& w : usual_ways()) {
        SCOPED_TRACE(w.name);
        const searches::report r = searches::run_tsp(data + "/burma14.tsp", {}, w.options);
        expect_whole(r);
        EXPECT_EQ(r.answer["objective"], 3323);
        expect_whole(searches::run_tsp(data + "/burma14.tsp", 3323, w.options));
        EXPECT_EQ(searches::run_tsp(data + "/burma14.tsp", 3322, w.options).answer["found"], false);
    }
}

// Against all orders of the cities.
TEST(search_answers, random_round_trips) {
    std::mt19937 random(3);
    for (int round = 0; round < 30; ++round) {
        const std::size_t n = 1 + random() % 7;
        std::vector<std::int64_t> distances(n * n, 0);
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < a; ++b)
                distances[a * n + b] = distances[b * n + a] = static_cast<std::int64_t>(random() % 100);
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::int64_t best = 1'000'000;
        do {
            std::int64_t length = 0;
            for (std::size_t i = 0; i < n; ++i)
                length += distances[order[i] * n + order[(i + 1) % n]];
            best = std::min(best, length);
        } while (std::next_permutation(order.begin() + 1, order.end()));
        const searches::tsp space(n, distances);
        for (const way& w : ways()) {
            SCOPED_TRACE(w.name + ", " + std::to_string(n) + " cities");
            const auto found = bough::search::minimise(space, space.root(), w.options);
            ASSERT_TRUE(found.node);
            EXPECT_EQ(found.objective, best);
        }
    }
}

TEST(search_answers, queens) {
    constexpr std::uint64_t known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724};
    for (const way& w : ways())
        for (unsigned n = 1; n <= 8; ++n) {
            SCOPED_TRACE(w.name + ", " + std::to_string(n));
            const searches::report all = searches::run_queens(n, false, w.options),
                                   one = searches::run_queens(n, true, w.options);
            expect_whole(all);
            expect_whole(one);
            EXPECT_EQ(all.answer["ways"], known[n]);
            EXPECT_EQ(one.answer["found"], known[n] > 0);
        }
    EXPECT_EQ(searches::run_queens(10, false, {}).answer["ways"], known[10]);
}

}  // namespace
