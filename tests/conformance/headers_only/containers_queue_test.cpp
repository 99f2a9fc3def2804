// concurrent_queue and concurrent_bounded_queue: order, waiting, capacity, abort, and what fails without memory.

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

using headers_only::failing_allocations;
using headers_only::failing_allocator;
using headers_only::sum_below;

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
    int disorder = 0;
    std::ptrdiff_t most = 0;
    long sum = 0;
    std::thread producer([&] {
        for (int i = 0; i < 2000; ++i)
            queue.push(i);
    });
    for (int i = 0; i < 2000; ++i) {
        most = std::max(most, queue.size());
        int got = -1;
        queue.pop(got);
        disorder += got == i ? 0 : 1;
        sum += got;
    }
    producer.join();
    EXPECT_EQ(disorder, 0);
    EXPECT_EQ(sum, sum_below(2000));
    EXPECT_LE(most, 4) << "three in the queue and one that waits to get in";
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
void expect_abort(tbb::concurrent_bounded_queue<int>& queue, std::ptrdiff_t size_when_all_wait,
                  F&& blocked_call) {
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

}  // namespace
