// A program on bough's own API that takes from oneTBB's headers what bough has no name for: docs/from_tbb.md. Each
// header of its table by itself, not tbb.h.

#include <oneapi/tbb/blocked_nd_range.h>
#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/collaborative_call_once.h>
#include <oneapi/tbb/combinable.h>
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_map.h>
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/concurrent_set.h>
#include <oneapi/tbb/concurrent_unordered_map.h>
#include <oneapi/tbb/concurrent_unordered_set.h>
#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <oneapi/tbb/tbb_allocator.h>
#include <oneapi/tbb/tick_count.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include <bough/bough.h>
#include <gtest/gtest.h>

namespace {

constexpr int n = 2000;

TEST(native, containers_filled_by_loops_and_tasks) {
    tbb::concurrent_vector<int> vector;
    tbb::concurrent_hash_map<int, int> hash_map;
    tbb::concurrent_unordered_map<int, int> unordered_map;
    tbb::concurrent_unordered_set<int> unordered_set;
    tbb::concurrent_map<int, int> map;
    tbb::concurrent_set<int> set;
    tbb::concurrent_queue<int> queue;
    tbb::concurrent_bounded_queue<int> bounded;
    tbb::concurrent_priority_queue<int> priorities;
    bough::parallel_for(0, n, [&](int i) {
        vector.push_back(i);
        hash_map.insert({i, i});
        unordered_map.insert({i, i});
        unordered_set.insert(i);
        map.insert({i, i});
        set.insert(i);
    });
    bough::task_group group;
    for (int i = 0; i < 10; ++i)
        group.run([&, i] {
            queue.push(i);
            bounded.push(i);
            priorities.push(i);
        });
    EXPECT_EQ(group.wait(), bough::complete);
    for (const std::size_t size :
         {vector.size(), hash_map.size(), unordered_map.size(), unordered_set.size(), map.size(), set.size()})
        EXPECT_EQ(size, std::size_t{n});
    int sum = 0, value = 0;
    while (queue.try_pop(value))
        sum += value;
    while (bounded.try_pop(value))
        sum += value;
    EXPECT_EQ(sum, 90);
    EXPECT_TRUE(priorities.try_pop(value));
    EXPECT_EQ(value, 9);
    std::atomic<long> all{0};
    bough::parallel_for_each(hash_map.begin(), hash_map.end(),
                             [&](const auto& entry) { all += entry.second; });
    EXPECT_EQ(all, long{n} * (n - 1) / 2);
}

// A producer that finds the queue full blocks in oneTBB's code; the consumer is a thread of bough's.
TEST(native, a_bounded_queue_between_two_tasks) {
    tbb::concurrent_bounded_queue<int> queue;
    queue.set_capacity(2);
    long sum = 0;
    bough::task_arena arena(2);
    bough::task_group group;
    arena.enqueue(
        [&] {
            for (int value = 1; value != 0; sum += value)
                queue.pop(value);
        },
        group);
    for (int i = n; i >= 0; --i)
        queue.push(i);
    EXPECT_EQ(group.wait(), bough::complete);
    EXPECT_EQ(sum, long{n} * (n + 1) / 2);
}

TEST(native, an_element_for_each_thread) {
    tbb::enumerable_thread_specific<long> local(0);
    tbb::combinable<long> combined([] { return 0L; });
    bough::parallel_for(0, n, [&](int i) {
        local.local() += i;
        combined.local() += i;
    });
    EXPECT_EQ(local.combine(std::plus<>()), long{n} * (n - 1) / 2);
    EXPECT_EQ(combined.combine(std::plus<>()), long{n} * (n - 1) / 2);
}

template <class Mutex>
void guards() {
    Mutex mutex;
    long guarded = 0;
    bough::parallel_for(0, n, [&](int i) {
        const typename Mutex::scoped_lock lock(mutex);
        guarded += i;
    });
    EXPECT_EQ(guarded, long{n} * (n - 1) / 2);
}

TEST(native, mutexes_in_bodies) {
    guards<tbb::mutex>();
    guards<tbb::spin_mutex>();
    guards<tbb::queuing_mutex>();
    guards<tbb::rw_mutex>();
    guards<tbb::spin_rw_mutex>();
    guards<tbb::queuing_rw_mutex>();
    tbb::collaborative_once_flag once;
    std::atomic<int> calls{0};
    bough::parallel_for(0, 100, [&](int) { tbb::collaborative_call_once(once, [&] { ++calls; }); });
    EXPECT_EQ(calls, 1);
}

TEST(native, allocators_and_times) {
    std::vector<double, tbb::cache_aligned_allocator<double>> aligned(n);
    std::vector<double, tbb::tbb_allocator<double>> plain(n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned.data()) % bough::cache_line, 0u);
    const tbb::tick_count start = tbb::tick_count::now();
    bough::parallel_for(std::size_t{0}, aligned.size(), [&](std::size_t i) { plain[i] = aligned[i] = 1; });
    EXPECT_GE((tbb::tick_count::now() - start).seconds(), 0);
    EXPECT_TRUE(std::equal(plain.begin(), plain.end(), aligned.begin()));
    EXPECT_EQ(plain.back(), 1);
}

TEST(native, a_graph_runs_in_the_arena_in_which_it_was_made) {
    bough::task_arena arena(5);
    std::atomic<int> inside{0};
    arena.execute([&] {
        tbb::flow::graph graph;
        tbb::flow::function_node<int> node(graph, tbb::flow::unlimited, [&](int) {
            inside += bough::this_task_arena::max_concurrency() == 5 ? 1 : 0;
            bough::parallel_for(0, 10, [](int) {});
            return 0;
        });
        for (int i = 0; i < 20; ++i)
            node.try_put(i);
        graph.wait_for_all();
    });
    EXPECT_EQ(inside, 20);
}

TEST(native, arenas_limits_and_contexts_are_one) {
    tbb::task_arena(3).execute([] {
        EXPECT_EQ(bough::this_task_arena::max_concurrency(), 3);
        bough::task_arena same(bough::task_arena::attach{});
        EXPECT_EQ(same.max_concurrency(), 3);
    });
    {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
        EXPECT_EQ(bough::global_control::active_value(bough::global_control::max_allowed_parallelism), 1u);
    }
    EXPECT_EQ(tbb::info::numa_nodes(), bough::info::numa_nodes());
    bough::task_group group;
    bool before = true, after = false;
    const auto is_canceling = [] { return tbb::is_current_task_group_canceling(); };
    EXPECT_EQ(group.run_and_wait([&] {
        before = is_canceling();
        group.cancel();
        after = is_canceling();
    }),
              bough::canceled);
    EXPECT_FALSE(before);
    EXPECT_TRUE(after);
}

}  // namespace
