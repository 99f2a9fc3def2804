// concurrent_vector, the queues and the LRU cache under concurrent use, with the exceptions that are documented.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/concurrent_lru_cache.h>
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

using headers_only::first_numbers;
using headers_only::sum_below;

// Allocates until it is told to fail.
inline std::atomic<bool> allocation_fails{false};

template <class T>
struct failing_allocator {
    using value_type = T;
    failing_allocator() = default;
    template <class U>
    failing_allocator(const failing_allocator<U>&) {}
    T* allocate(std::size_t n) {
        if (allocation_fails)
            throw std::bad_alloc();
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
    template <class U>
    friend bool operator==(const failing_allocator&, const failing_allocator<U>&) {
        return true;
    }
    template <class U>
    friend bool operator!=(const failing_allocator&, const failing_allocator<U>&) {
        return false;
    }
};

struct failing_allocations {
    failing_allocations() { allocation_fails = true; }
    ~failing_allocations() { allocation_fails = false; }
};

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
    tbb::parallel_for(std::size_t{0}, std::size_t{100}, [&](std::size_t i) { values.grow_to_at_least(1000 + i); });
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

TEST(concurrent_queue, everything_comes_out_once) {
    tbb::concurrent_queue<int> queue;
    std::vector<std::atomic<int>> hits(3000);
    tbb::parallel_for(0, 3000, [&](int i) {
        queue.push(i);
        int got = 0;
        if (i % 2 == 0 && queue.try_pop(got))
            ++hits[static_cast<std::size_t>(got)];
    });
    for (int got; queue.try_pop(got);)
        ++hits[static_cast<std::size_t>(got)];
    for (auto& hit : hits)
        ASSERT_EQ(hit, 1);
    EXPECT_TRUE(queue.empty());
}

// Each consumer sees the values of one producer in the order in which they were pushed.
TEST(concurrent_queue, order_per_producer) {
    tbb::concurrent_queue<int> queue;
    std::atomic<int> disorder{0};
    std::atomic<int> popped{0};
    std::vector<std::thread> threads;
    for (int p = 0; p < 2; ++p)
        threads.emplace_back([&, p] {
            for (int i = 0; i < 1000; ++i)
                queue.push(p * 1000 + i);
        });
    for (int c = 0; c < 2; ++c)
        threads.emplace_back([&] {
            int last[2] = {-1, -1};
            while (popped < 2000) {
                int got = 0;
                if (!queue.try_pop(got)) {
                    std::this_thread::yield();
                    continue;
                }
                ++popped;
                disorder += got % 1000 > last[got / 1000] ? 0 : 1;
                last[got / 1000] = got % 1000;
            }
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(disorder, 0);
}

TEST(concurrent_queue, copies_moves_and_iterators) {
    tbb::concurrent_queue<int> queue{1, 2, 3};
    queue.emplace(4);
    auto copy = queue;
    EXPECT_TRUE(copy == queue);
    EXPECT_EQ(std::vector<int>(copy.unsafe_begin(), copy.unsafe_end()), (std::vector<int>{1, 2, 3, 4}));
    auto moved = std::move(copy);
    EXPECT_EQ(moved.unsafe_size(), 4u);
    moved.clear();
    EXPECT_TRUE(moved.empty());
    using std::swap;
    swap(moved, queue);
    EXPECT_EQ(moved.unsafe_size(), 4u);
}

// A push that gets no memory throws; later ones to the same place throw bad_last_alloc. Only pushing and destroying
// are tried: a pop from such a queue is not safe in oneTBB.
TEST(concurrent_queue, failed_allocations) {
    tbb::concurrent_queue<int, failing_allocator<int>> queue;
    int failures = 0;
    int last_alloc = 0;
    {
        failing_allocations now;
        for (int i = 0; i < 40; ++i) {
            try {
                queue.push(i);
            } catch (const tbb::bad_last_alloc& error) {
                EXPECT_STRNE(error.what(), "");
                ++last_alloc;
            } catch (const std::bad_alloc&) {
                ++failures;
            }
        }
    }
    EXPECT_EQ(failures + last_alloc, 40);
    EXPECT_GT(failures, 0);
}

TEST(concurrent_bounded_queue, push_waits_for_room_and_pop_for_values) {
    tbb::concurrent_bounded_queue<int> queue;
    queue.set_capacity(3);
    EXPECT_EQ(queue.capacity(), 3);
    std::atomic<int> overfull{0};
    long sum = 0;
    std::thread producer([&] {
        for (int i = 0; i < 2000; ++i)
            queue.push(i);
    });
    for (int i = 0; i < 2000; ++i) {
        int got = -1;
        queue.pop(got);
        overfull += got == i ? 0 : 1;
        sum += got;
    }
    producer.join();
    EXPECT_EQ(overfull, 0);
    EXPECT_EQ(sum, sum_below(2000));
}

TEST(concurrent_bounded_queue, try_push_refuses_when_full) {
    tbb::concurrent_bounded_queue<int> queue;
    queue.set_capacity(2);
    EXPECT_TRUE(queue.try_push(1));
    EXPECT_TRUE(queue.try_emplace(2));
    EXPECT_FALSE(queue.try_push(3));
    EXPECT_EQ(queue.size(), 2);
    queue.set_capacity(3);
    EXPECT_TRUE(queue.try_push(3));
    int got = 0;
    for (int i = 1; i <= 3; ++i) {
        EXPECT_TRUE(queue.try_pop(got));
        EXPECT_EQ(got, i);
    }
    EXPECT_FALSE(queue.try_pop(got));
}

TEST(concurrent_bounded_queue, several_producers_and_consumers) {
    tbb::concurrent_bounded_queue<int> queue;
    queue.set_capacity(4);
    std::vector<std::atomic<int>> hits(1200);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 400; ++i)
                queue.push(t * 400 + i);
        });
        threads.emplace_back([&] {
            for (int i = 0; i < 400; ++i) {
                int got = 0;
                queue.pop(got);
                ++hits[static_cast<std::size_t>(got)];
            }
        });
    }
    for (auto& thread : threads)
        thread.join();
    for (auto& hit : hits)
        ASSERT_EQ(hit, 1);
    EXPECT_EQ(queue.size(), 0);
}

template <class F>
void expect_abort(tbb::concurrent_bounded_queue<int>& queue, std::ptrdiff_t size_when_all_wait, F&& blocked_call) {
    std::atomic<int> aborted{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            try {
                blocked_call();
            } catch (const tbb::user_abort& error) {
                EXPECT_STRNE(error.what(), "");
                ++aborted;
            }
        });
    while (queue.size() != size_when_all_wait)
        std::this_thread::yield();
    queue.abort();
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(aborted, 3);
}

TEST(concurrent_bounded_queue, abort_wakes_who_waits) {
    tbb::concurrent_bounded_queue<int> queue;
    expect_abort(queue, -3, [&] {
        int got = 0;
        queue.pop(got);
    });
    EXPECT_EQ(queue.size(), 0);
    queue.set_capacity(2);
    queue.push(1);
    queue.push(2);
    expect_abort(queue, 5, [&] { queue.push(9); });
    // In oneTBB a push that was aborted keeps its place until the pops have gone past it.
    int got = 0;
    EXPECT_TRUE(queue.try_pop(got));
    EXPECT_EQ(got, 1);
    EXPECT_TRUE(queue.try_pop(got));
    EXPECT_EQ(got, 2);
    EXPECT_FALSE(queue.try_pop(got));
    queue.push(3);
    queue.pop(got);
    EXPECT_EQ(got, 3);
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

int times_ten(int key) { return 10 * key; }

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
