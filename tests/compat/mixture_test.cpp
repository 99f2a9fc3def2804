// parallel_invoke, and oneTBB's untouched parts beside and inside loops that run on bough.

#include <tbb/tbb.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <bough/bough.h>
#include <gtest/gtest.h>

#include "engine_count.h"

namespace {

int fib(int n) {
    if (n < 2)
        return n;
    int a = 0, b = 0;
    tbb::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
    return a + b;
}

std::atomic<int> calls{0};
void count_call() {
    ++calls;
}

TEST(parallel_invoke, recursion_and_many_functions) {
    const engine_count::snapshot before;
    EXPECT_EQ(fib(18), 2584);
    calls = 0;
    const auto f = [] { count_call(); };
    tbb::parallel_invoke(f, count_call, f, f, count_call, f, f, f, f, f, f, f);
    EXPECT_EQ(calls, 12);
    EXPECT_TRUE(before.only_bough());
}

TEST(parallel_invoke, exception_and_context) {
    const auto fail = [] { throw std::runtime_error("invoke"); };
    EXPECT_THROW(tbb::parallel_invoke([] {}, fail), std::runtime_error);
    const engine_count::snapshot before;
    tbb::task_group_context context;
    calls = 0;
    tbb::parallel_invoke(count_call, count_call, context);
    EXPECT_EQ(calls, 2);
    EXPECT_TRUE(before.only_onetbb());
}

TEST(mixture, containers_and_thread_locals_inside_loops) {
    tbb::concurrent_vector<int> vector;
    tbb::concurrent_hash_map<int, int> map;
    tbb::enumerable_thread_specific<long> local(0);
    tbb::spin_mutex mutex;
    long guarded = 0;
    tbb::parallel_for(0, 1000, [&](int i) {
        vector.push_back(i);
        map.insert({i, i});
        local.local() += i;
        const tbb::spin_mutex::scoped_lock lock(mutex);
        guarded += i;
    });
    EXPECT_EQ(vector.size(), 1000u);
    EXPECT_EQ(map.size(), 1000u);
    EXPECT_EQ(local.combine(std::plus<>()), 499500);
    EXPECT_EQ(guarded, 499500);
}

TEST(mixture, onetbb_algorithms_beside_loops) {
    std::vector<int> values(20000);
    tbb::parallel_for(std::size_t{0}, values.size(),
                      [&](std::size_t i) { values[i] = int(i * 7919 % 20000); });
    tbb::parallel_sort(values.begin(), values.end());
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    std::atomic<long> sum{0};
    tbb::parallel_for_each(values, [&](int v) { tbb::parallel_for(0, 2, [&](int) { sum += v; }); });
    EXPECT_EQ(sum, 2 * std::accumulate(values.begin(), values.end(), 0L));
}

TEST(mixture, loops_inside_task_group_arena_and_graph) {
    std::atomic<int> count{0};
    const auto loop = [&] { tbb::parallel_for(0, 100, [&](int) { ++count; }); };
    tbb::task_group group;
    for (int i = 0; i < 10; ++i)
        group.run(loop);
    group.wait();
    tbb::task_arena(2).execute(loop);
    tbb::flow::graph graph;
    tbb::flow::function_node<int> node(graph, tbb::flow::unlimited, [&](int) {
        loop();
        return 0;
    });
    for (int i = 0; i < 10; ++i)
        node.try_put(i);
    graph.wait_for_all();
    EXPECT_EQ(count, 2100);
}

TEST(mixture, onetbb_tasks_inside_loops) {
    std::atomic<int> count{0};
    tbb::parallel_for(0, 50, [&](int) {
        tbb::task_group group;
        group.run([&] { ++count; });
        group.run_and_wait([&] { ++count; });
    });
    EXPECT_EQ(count, 100);
}

TEST(mixture, one_affinity_partitioner_on_both_engines) {
    tbb::affinity_partitioner affinity;
    tbb::task_group_context context;
    std::atomic<int> count{0};
    const auto body = [&](const tbb::blocked_range<int>& r) { count += int(r.size()); };
    for (int i = 0; i < 10; ++i) {
        tbb::parallel_for(tbb::blocked_range<int>(0, 1000), body, affinity);
        tbb::parallel_for(tbb::blocked_range<int>(0, 1000), body, affinity, context);
    }
    EXPECT_EQ(count, 20000);
}

// A pipeline of oneTBB's leaves nothing behind that would keep a later stop from being seen.
TEST(mixture, a_group_is_cancelled_after_a_pipeline) {
    int left = 3;
    const auto read = [&](tbb::flow_control& control) {
        if (left-- == 0)
            control.stop();
    };
    tbb::parallel_pipeline(2, tbb::make_filter<void, void>(tbb::filter_mode::serial_in_order, read));
    EXPECT_EQ(bough::detail::nodes_to_ask.load(), 0u);

    bough::task_group group;
    std::atomic<int> units{0};
    bough::task_group_status status{};
    group.run([&] {
        group.cancel();
        bough::parallel_for(0, 1000, [&](int) { ++units; });
    });
    status = group.wait();
    EXPECT_EQ(status, bough::canceled);
    EXPECT_EQ(units, 0);
    EXPECT_EQ(bough::detail::nodes_to_ask.load(), 0u);
}

// A program may hand the address of an instance on; the context must not make it ambiguous.
TEST(parallel_for_each, address_of_each_form) {
    using numbers = int[10];
    using add = void (*)(const int&);
    numbers values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static std::atomic<int> sum;
    const add body = [](const int& v) { sum += v; };
    tbb::task_group_context context;
    void (*const of_iterators)(int*, int*, const add&) = tbb::parallel_for_each;
    void (*const of_range)(numbers&, const add&) = tbb::parallel_for_each;
    void (*const in_context)(const numbers&, const add&, tbb::task_group_context&) = tbb::parallel_for_each;
    sum = 0;
    of_iterators(values, values + 10, body);
    of_range(values, body);
    in_context(values, body, context);
    EXPECT_EQ(sum, 3 * 55);
}

}  // namespace
