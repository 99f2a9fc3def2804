// concurrent_vector, concurrent_priority_queue and the LRU cache under concurrent use, with documented exceptions.

#include <oneapi/tbb/concurrent_lru_cache.h>
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <new>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

using headers_only::failing_allocations;
using headers_only::failing_allocator;
using headers_only::first_numbers;
using headers_only::sum_below;

template <class Values>
std::vector<int> sorted(const Values& values) {
    std::vector<int> copy(values.begin(), values.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

TEST(concurrent_vector, push_back_from_many_threads) {
    tbb::concurrent_vector<int> values;
    std::atomic<int> moved{0};
    tbb::parallel_for(0, 3000, [&](int i) {
        auto where = values.push_back(i);
        moved += *where == i ? 0 : 1;
    });
    EXPECT_EQ(moved, 0);
    EXPECT_EQ(sorted(values), first_numbers(3000));
    std::atomic<int> sum{0};
    tbb::parallel_for(values.range(), [&](const auto& range) {
        for (int value : range)
            sum += value;
    });
    EXPECT_EQ(sum, sum_below(3000));
}

TEST(concurrent_vector, grow_by_gives_each_caller_its_own_piece) {
    tbb::concurrent_vector<int> values;
    tbb::parallel_for(0, 100, [&](int i) {
        auto first = values.grow_by(10, i);
        for (int k = 0; k < 10; ++k)
            EXPECT_EQ(first[k], i);
    });
    EXPECT_EQ(values.size(), 1000u);
    const auto all = sorted(values);
    for (std::size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(all[i], static_cast<int>(i / 10));
    tbb::parallel_for(std::size_t{0}, std::size_t{100},
                      [&](std::size_t i) { values.grow_to_at_least(1000 + i); });
    EXPECT_EQ(values.size(), 1099u);
}

TEST(concurrent_vector, exceptions) {
    tbb::concurrent_vector<int> values(10, 7);
    EXPECT_EQ(values.at(9), 7);
    EXPECT_THROW(values.at(10), std::out_of_range);
    EXPECT_THROW(values.at(100000), std::out_of_range);
    EXPECT_THROW(values.reserve(values.max_size() + 1), std::length_error);
    tbb::concurrent_vector<int, failing_allocator<int>> starving;
    failing_allocations now;
    EXPECT_THROW(starving.grow_by(100), std::bad_alloc);
}

TEST(concurrent_vector, all_elements_are_destroyed) {
    struct tag {};
    using item = headers_only::tracked<tag>;
    {
        tbb::concurrent_vector<item> values;
        tbb::parallel_for(0, 500, [&](int i) { values.emplace_back(i); });
        auto copy = values;
        copy.shrink_to_fit();
        EXPECT_EQ(item::live(), 1000);
        values.clear();
        EXPECT_EQ(item::live(), 500);
        values = std::move(copy);
        EXPECT_EQ(values.size(), 500u);
    }
    EXPECT_EQ(item::live(), 0);
}

TEST(concurrent_priority_queue, best_first) {
    tbb::concurrent_priority_queue<int> queue;
    tbb::parallel_for(0, 2000, [&](int i) { queue.push(i); });
    EXPECT_EQ(queue.size(), 2000u);
    for (int expected = 1999; expected >= 0; --expected) {
        int got = -1;
        ASSERT_TRUE(queue.try_pop(got));
        ASSERT_EQ(got, expected);
    }
    EXPECT_TRUE(queue.empty());
}

TEST(concurrent_priority_queue, pushes_and_pops_at_once) {
    tbb::concurrent_priority_queue<int, std::greater<int>> queue{5000, 5001};
    std::atomic<int> sum{0};
    std::atomic<int> pops{0};
    tbb::parallel_invoke([&] { tbb::parallel_for(0, 1000, [&](int i) { queue.emplace(i); }); },
                         [&] {
                             tbb::parallel_for(0, 500, [&](int) {
                                 int got = 0;
                                 if (queue.try_pop(got)) {
                                     sum += got;
                                     ++pops;
                                 }
                             });
                         });
    int last = -1;
    for (int got; queue.try_pop(got);) {
        EXPECT_GE(got, last);
        last = got;
        sum += got;
        ++pops;
    }
    EXPECT_EQ(pops, 1002);
    EXPECT_EQ(sum, sum_below(1000) + 10001);
}

TEST(concurrent_priority_queue, a_failed_push_throws) {
    tbb::concurrent_priority_queue<int, std::less<int>, failing_allocator<int>> queue;
    {
        failing_allocations now;
        EXPECT_THROW(queue.push(1), std::bad_alloc);
    }
    queue.push(2);
    int got = 0;
    EXPECT_TRUE(queue.try_pop(got));
    EXPECT_EQ(got, 2);
}

int times_ten(int key) {
    return 10 * key;
}

TEST(concurrent_lru_cache, computes_each_kept_value_once) {
    std::atomic<int> computed{0};
    const auto value_of = [&](int key) {
        ++computed;
        return times_ten(key);
    };
    tbb::concurrent_lru_cache<int, int, std::function<int(int)>> cache(value_of, 50);
    std::atomic<int> wrong{0};
    tbb::parallel_for(0, 2000, [&](int i) {
        auto handle = cache[i % 20];
        wrong += handle && handle.value() == 10 * (i % 20) ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(computed, 20);
}

TEST(concurrent_lru_cache, forgets_the_one_used_longest_ago) {
    std::vector<int> computed;
    const auto value_of = [&](int key) {
        computed.push_back(key);
        return times_ten(key);
    };
    using cache_type = tbb::concurrent_lru_cache<int, int, std::function<int(int)>>;
    cache_type cache(value_of, 2);
    for (int key : {1, 2, 1, 3, 1, 2})
        EXPECT_EQ(cache[key].value(), 10 * key);
    EXPECT_EQ(computed, (std::vector<int>{1, 2, 3, 2}));
    {
        cache_type::handle held = cache[7];
        for (int key : {8, 9, 10})
            cache[key];
        computed.clear();
        cache_type::handle again = cache[7];
        EXPECT_TRUE(computed.empty()) << "what is in use stays";
        cache_type::handle moved = std::move(held);
        EXPECT_FALSE(held);
        EXPECT_EQ(moved.value(), 70);
    }
    tbb::concurrent_lru_cache<int, int> plain(times_ten, 1);
    EXPECT_EQ(plain[4].value(), 40);
}

}  // namespace
