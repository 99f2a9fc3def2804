// The parts of a search alone: pool, incumbent, frames, work rate.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

#include "bough/search/detail/incumbent.h"
#include "bough/search/detail/packing.h"
#include "bough/search/detail/task_pool.h"
#include "bough/search/detail/work_rate.h"

namespace {

using pool = bough::search::detail::task_pool<int>;
using bough::search::detail::incumbent;
using bough::search::detail::no_key;

void push(pool& p, int node, std::uint64_t level) {
    p.push(std::make_unique<pool::task>(std::move(node), static_cast<unsigned>(level), level));
}
std::vector<int> drain(pool& p, pool::owned_task (pool::*take)()) {
    std::vector<int> nodes;
    while (const auto t = (p.*take)())
        nodes.push_back(t->node);
    return nodes;
}

TEST(search_pool, threads_here_take_the_deepest_and_others_the_shallowest) {
    for (const bool here : {true, false}) {
        pool p(true);
        push(p, 20, 2);
        push(p, 50, 5);
        push(p, 21, 2);
        push(p, 51, 5);
        push(p, 10, 1);
        EXPECT_EQ(p.size(), 5u);
        EXPECT_EQ(drain(p, here ? &pool::take_local : &pool::take_shallowest),
                  here ? (std::vector{50, 51, 20, 21, 10}) : (std::vector{10, 20, 21, 50, 51}));
        EXPECT_EQ(p.size(), 0u);
    }
}

// A level that was emptied by others does not hide shallower tasks that come later.
TEST(search_pool, tasks_after_a_theft_are_found) {
    pool p(true);
    push(p, 7, 7);
    EXPECT_EQ(p.take_shallowest()->node, 7);
    push(p, 3, 3);
    ASSERT_TRUE(p.size() == 1);
    const auto found = p.take_local();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->node, 3);
    push(p, 9, 9);
    EXPECT_EQ(p.take_local()->node, 9);
    push(p, 2, 2);
    EXPECT_EQ(p.take_shallowest()->node, 2);
    EXPECT_FALSE(p.take_local());
}

TEST(search_pool, an_order_is_kept) {
    pool p(false);
    for (const int i : {4, 0, 3, 1, 2})
        push(p, i, static_cast<std::uint64_t>(i));
    EXPECT_EQ(drain(p, &pool::take_local), (std::vector{0, 1, 2, 3, 4}));
}

TEST(search_pool, many_tasks_of_one_level_end_one_by_one) {
    pool p(true);
    for (int i = 0; i < 300'000; ++i)
        push(p, i, 1);
}

TEST(search_incumbent, the_key_only_rises) {
    incumbent<int> best;
    EXPECT_EQ(best.key(), no_key);
    EXPECT_FALSE(best.raise(no_key, 0));
    EXPECT_TRUE(best.raise(5, 50));
    EXPECT_FALSE(best.raise(5, 51));
    EXPECT_FALSE(best.raise(3, 30));
    EXPECT_EQ(best.key(), 5);
    EXPECT_TRUE(best.raise(8));  // elsewhere
    EXPECT_FALSE(best.raise(7, 70));
    EXPECT_EQ(best.key(), 8);
    EXPECT_EQ(best.node(), 50);
    EXPECT_EQ(best.held(), 5);
    EXPECT_TRUE(best.raise(9, 90));
    EXPECT_EQ(best.node(), 90);
}

TEST(search_incumbent, threads_agree_on_the_best) {
    for (int round = 0; round < 50; ++round) {
        incumbent<std::int64_t> best;
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&best, t] {
                std::int64_t last = no_key;
                for (std::int64_t i = t; i < 400; i += 4) {
                    best.raise(i, i);
                    EXPECT_GE(best.key(), std::max(i, last));
                    last = best.key();
                }
            });
        for (std::thread& t : threads)
            t.join();
        EXPECT_EQ(best.key(), 399);
        EXPECT_EQ(best.node(), 399);
    }
}

TEST(search_keys, turn_around_without_overflow) {
    using bough::search::detail::key_of;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(key_of<true>(7), 7);
    EXPECT_LT(key_of<false>(8), key_of<false>(7));
    EXPECT_LT(key_of<false>(most), key_of<false>(-most - 1));
    EXPECT_EQ(key_of<false>(key_of<false>(-5)), -5);
}

// 0.65 ln(2.72 + w / (w + i)) ln(2.72 + w + i) + 0.35 old, by hand.
TEST(search_rate, is_the_papers_formula) {
    using bough::search::detail::next_work_rate;
    EXPECT_NEAR(next_work_rate(1, 0, 0), 0.65 * 1.000632 * 1.000632 + 0.35, 1e-5);
    EXPECT_NEAR(next_work_rate(1, 100, 0), 0.65 * std::log(3.72) * std::log(102.72) + 0.35, 1e-9);
    EXPECT_NEAR(next_work_rate(2, 100, 100), 0.65 * std::log(3.22) * std::log(202.72) + 0.7, 1e-9);
    double rate = 1;
    for (int i = 0; i < 50; ++i)
        rate = next_work_rate(rate, 15'000, 0);
    EXPECT_NEAR(rate, 12.63, 0.01);  // busy for 15 ms at a time
}

// The example of docs/search.md.
struct route {
    std::vector<int> stops;
    void pack(std::vector<std::byte>& out) const {
        const auto* const first = reinterpret_cast<const std::byte*>(stops.data());
        out.insert(out.end(), first, first + stops.size() * sizeof(int));
    }
    static route unpack(const std::byte* bytes, std::size_t size) {
        route r;
        r.stops.resize(size / sizeof(int));
        std::copy_n(bytes, size, reinterpret_cast<std::byte*>(r.stops.data()));
        return r;
    }
};

TEST(search_packing, nodes_that_pack_themselves_come_back) {
    using namespace bough::search::detail;
    for (const std::vector<int>& stops : {std::vector<int>{}, std::vector<int>{3, 1, 2}}) {
        std::vector<std::byte> bytes(2);  // pack() appends
        pack_node(route{stops}, bytes);
        EXPECT_EQ(bytes.size(), 2 + stops.size() * sizeof(int));
        EXPECT_EQ(unpack_node<route>(bytes.data() + 2, bytes.size() - 2).stops, stops);
    }
}

TEST(search_packing, nodes_come_back) {
    using namespace bough::search::detail;
    struct plain {
        int a;
        double b;
    };
    std::vector<std::byte> bytes;
    pack_node(plain{3, 4.5}, bytes);
    const plain back = unpack_node<plain>(bytes.data(), bytes.size());
    EXPECT_EQ(back.a, 3);
    EXPECT_EQ(back.b, 4.5);
    EXPECT_THROW(unpack_node<plain>(bytes.data(), bytes.size() - 1), std::invalid_argument);
    static_assert(can_travel<plain> && !can_travel<std::vector<int>>);
}

}  // namespace
