// Whole graphs: edges that come and go, dependency graphs, arenas, nesting, priorities. Compiled with oneTBB's preview
// features, as are the two files beside it.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

namespace flow = tbb::flow;
using headers_only::first_numbers;
using headers_only::sum_below;

using signal_node = flow::continue_node<flow::continue_msg>;

TEST(edges, come_and_go_between_runs) {
    flow::graph g;
    std::atomic<int> left{0};
    std::atomic<int> right{0};
    flow::broadcast_node<int> start(g);
    flow::function_node<int, int> middle(g, flow::unlimited, [](int i) { return i + 1; });
    flow::function_node<int> to_left(g, flow::unlimited, [&](int i) { left += i; });
    flow::function_node<int> to_right(g, flow::unlimited, [&](int i) { right += i; });
    flow::make_edge(start, middle);
    flow::make_edge(middle, to_left);
    for (int round = 0; round < 20; ++round) {
        start.try_put(0);
        g.wait_for_all();
        const bool even = round % 2 == 0;
        flow::remove_edge(middle, even ? static_cast<flow::receiver<int>&>(to_left) : to_right);
        flow::make_edge(middle, even ? static_cast<flow::receiver<int>&>(to_right) : to_left);
    }
    EXPECT_EQ(left, 10);
    EXPECT_EQ(right, 10);
}

// cell (i, j) waits for (i-1, j) and (i, j-1): the last one holds the number of paths.
TEST(dependency_graph, wavefront) {
    constexpr std::size_t size = 12;
    flow::graph g;
    std::vector<std::vector<long>> paths(size, std::vector<long>(size, 0));
    std::vector<std::vector<std::unique_ptr<signal_node>>> cells(size);
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) {
            const auto body = [&paths, i, j](flow::continue_msg m) {
                const long above = i > 0 ? paths[i - 1][j] : 0;
                const long before = j > 0 ? paths[i][j - 1] : 0;
                paths[i][j] = i + j == 0 ? 1 : above + before;
                return m;
            };
            cells[i].push_back(std::make_unique<signal_node>(g, body));
            if (i > 0)
                flow::make_edge(*cells[i - 1][j], *cells[i][j]);
            if (j > 0)
                flow::make_edge(*cells[i][j - 1], *cells[i][j]);
        }
    for (int round = 0; round < 5; ++round) {
        for (auto& row : paths)
            std::fill(row.begin(), row.end(), 0);
        cells[0][0]->try_put(flow::continue_msg());
        g.wait_for_all();
        EXPECT_EQ(paths[size - 1][size - 1], 705432);
    }
}

TEST(dependency_graph, diamond_runs_its_sides_before_its_end) {
    flow::graph g;
    std::atomic<int> sides{0};
    int seen = 0;
    flow::broadcast_node<flow::continue_msg> start(g);
    std::vector<std::unique_ptr<signal_node>> side_nodes;
    signal_node end(g, [&](flow::continue_msg m) {
        seen = sides;
        return m;
    });
    for (int i = 0; i < 50; ++i) {
        const auto body = [&](flow::continue_msg m) {
            ++sides;
            return m;
        };
        side_nodes.push_back(std::make_unique<signal_node>(g, body));
        flow::make_edge(start, *side_nodes.back());
        flow::make_edge(*side_nodes.back(), end);
    }
    start.try_put(flow::continue_msg());
    g.wait_for_all();
    EXPECT_EQ(seen, 50);
}

TEST(arena, a_graph_runs_where_it_was_made) {
    tbb::task_arena arena(3);
    std::unique_ptr<flow::graph> g;
    std::atomic<int> right{0};
    arena.execute([&] { g = std::make_unique<flow::graph>(); });
    {
        flow::function_node<int> node(
            *g, flow::unlimited, [&](int) { right += tbb::this_task_arena::max_concurrency() == 3 ? 1 : 0; });
        for (int i = 0; i < 50; ++i)
            node.try_put(i);
        g->wait_for_all();
    }
    EXPECT_EQ(right, 50);
}

TEST(arena, reset_moves_the_graph_to_the_arena_of_the_caller) {
    tbb::task_arena five(5);
    flow::graph g;
    std::atomic<int> in_five{0};
    flow::function_node<int> node(
        g, flow::unlimited, [&](int) { in_five += tbb::this_task_arena::max_concurrency() == 5 ? 1 : 0; });
    node.try_put(0);
    g.wait_for_all();
    EXPECT_EQ(in_five, 0);
    five.execute([&] { g.reset(); });
    for (int i = 0; i < 20; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(in_five, 20);
}

TEST(arena, several_threads_put_and_wait) {
    flow::graph g;
    std::atomic<int> sum{0};
    flow::function_node<int> node(g, flow::unlimited, [&](int i) { sum += i; });
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 100; ++i)
                node.try_put(i);
        });
    for (auto& thread : threads)
        thread.join();
    g.wait_for_all();
    EXPECT_EQ(sum, 4 * sum_below(100));
}

TEST(nesting, a_graph_per_piece_of_a_loop) {
    std::atomic<int> sum{0};
    tbb::parallel_for(0, 40, [&](int n) {
        flow::graph g;
        int own = 0;
        flow::function_node<int, int> twice(g, flow::unlimited, [](int i) { return 2 * i; });
        flow::function_node<int> add(g, flow::serial, [&](int i) { own += i; });
        flow::make_edge(twice, add);
        for (int i = 0; i <= n; ++i)
            twice.try_put(i);
        g.wait_for_all();
        EXPECT_EQ(own, n * (n + 1));
        sum += own;
    });
    EXPECT_EQ(sum, 21320);
}

TEST(nesting, loops_and_graphs_inside_bodies) {
    flow::graph g;
    std::atomic<int> total{0};
    flow::function_node<int, int> loop(g, flow::unlimited, [](int n) {
        return tbb::parallel_reduce(
            tbb::blocked_range<int>(0, n), 0,
            [](const tbb::blocked_range<int>& r, int s) {
                for (int i = r.begin(); i != r.end(); ++i)
                    s += i;
                return s;
            },
            std::plus<int>());
    });
    flow::function_node<int> inner(g, flow::unlimited, [&](int value) {
        flow::graph own;
        flow::function_node<int> add(own, flow::serial, [&](int i) { total += i; });
        add.try_put(value);
        own.wait_for_all();
    });
    flow::make_edge(loop, inner);
    for (int i = 0; i < 30; ++i)
        loop.try_put(100);
    g.wait_for_all();
    EXPECT_EQ(total, 30 * sum_below(100));
}

TEST(nesting, cancelling_a_group_cancels_a_graph_inside_it) {
    tbb::task_group group;
    std::atomic<int> ran{0};
    bool cancelled = false;
    group.run_and_wait([&] {
        group.cancel();
        flow::graph g;
        flow::function_node<int> node(g, flow::unlimited, [&](int) { ++ran; });
        node.try_put(1);
        g.wait_for_all();
        cancelled = g.is_cancelled();
    });
    // The graph's own context is bound when its first task is spawned, inside the cancelled group.
    EXPECT_EQ(ran, 0);
    EXPECT_TRUE(cancelled);
}

// With one thread nothing starts before all is put, so the order is that of the priorities.
TEST(priorities, one_thread_runs_the_highest_first) {
    tbb::task_arena alone(1);
    std::vector<int> order;
    alone.execute([&] {
        flow::graph g;
        const auto note = [&](int i) { order.push_back(i); };
        flow::function_node<int> none(g, flow::unlimited, note);
        flow::function_node<int> low(g, flow::unlimited, note, flow::node_priority_t(1));
        flow::function_node<int> high(g, flow::unlimited, note, flow::node_priority_t(7));
        flow::continue_node<flow::continue_msg> middle(
            g, [&](flow::continue_msg) { order.push_back(3); }, flow::node_priority_t(3));
        none.try_put(0);
        low.try_put(1);
        middle.try_put(flow::continue_msg());
        high.try_put(7);
        none.try_put(0);
        g.wait_for_all();
    });
    EXPECT_EQ(order, (std::vector<int>{7, 3, 1, 0, 0}));
}

TEST(priorities, every_message_is_worked_on_with_many_threads) {
    flow::graph g;
    std::atomic<int> sum{0};
    flow::broadcast_node<int> start(g);
    std::vector<std::unique_ptr<flow::function_node<int, int>>> nodes;
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; }, flow::node_priority_t(9));
    for (unsigned p = 0; p < 6; ++p) {
        using node_type = flow::function_node<int, int>;
        const std::size_t limit = p % 2 ? flow::serial : flow::unlimited;
        nodes.push_back(
            std::make_unique<node_type>(g, limit, [](int i) { return i; }, flow::node_priority_t(p)));
        flow::make_edge(start, *nodes.back());
        flow::make_edge(*nodes.back(), end);
    }
    for (int i = 0; i < 200; ++i)
        start.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(sum, 6 * sum_below(200));
}

TEST(priorities, cancelled_with_tasks_of_all_priorities) {
    flow::graph g;
    std::array<std::atomic<int>, 100> ran{};
    flow::function_node<int> low(
        g, flow::unlimited, [&](int i) { ++ran[static_cast<std::size_t>(i)]; }, flow::node_priority_t(1));
    flow::function_node<int> high(g, flow::serial, [&](int) { g.cancel(); }, flow::node_priority_t(2));
    for (int i = 0; i < 100; ++i) {
        low.try_put(i);
        high.try_put(i);
    }
    g.wait_for_all();
    EXPECT_TRUE(g.is_cancelled());
    for (auto& times : ran)
        EXPECT_LE(times, 1);
    g.reset();
    const int before = ran[1];
    low.try_put(1);
    g.wait_for_all();
    EXPECT_EQ(ran[1], before + 1);
}

TEST(several_graphs, side_by_side) {
    flow::graph a;
    flow::graph b;
    std::atomic<int> from_a{0};
    std::atomic<int> from_b{0};
    flow::function_node<int> node_b(b, flow::unlimited, [&](int i) { from_b += i; });
    flow::function_node<int> node_a(a, flow::unlimited, [&](int i) {
        from_a += i;
        node_b.try_put(i);
    });
    for (int i = 0; i < 300; ++i)
        node_a.try_put(i);
    a.wait_for_all();
    b.wait_for_all();
    EXPECT_EQ(from_a, sum_below(300));
    EXPECT_EQ(from_b, sum_below(300));
}

}  // namespace
