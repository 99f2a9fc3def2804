// oneTBB's helper functions for expressing graphs (node sets and deduction guides) and try_put_and_wait.

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

namespace flow = tbb::flow;
using headers_only::first_numbers;
using headers_only::gate;
using headers_only::sum_below;

TEST(node_set, follows_and_precedes) {
    flow::graph g;
    std::atomic<int> sum{0};
    flow::broadcast_node<int> a(g);
    flow::broadcast_node<int> b(g);
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; });
    flow::function_node<int, int> after(flow::follows(a, b), flow::unlimited, [](int i) { return i; });
    flow::buffer_node<int> store(flow::precedes(end));
    flow::make_edge(after, store);
    a.try_put(1);
    b.try_put(10);
    g.wait_for_all();
    EXPECT_EQ(sum, 11);
}

TEST(node_set, make_edges) {
    flow::graph g;
    std::atomic<int> sum{0};
    flow::broadcast_node<int> start(g);
    flow::function_node<int, int> a(g, flow::unlimited, [](int i) { return i; });
    flow::function_node<int, int> b(g, flow::serial, [](int i) { return 2 * i; });
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; });
    auto middle = flow::make_node_set(a, b);
    flow::make_edges(start, middle);
    flow::make_edges(middle, end);
    start.try_put(5);
    g.wait_for_all();
    EXPECT_EQ(sum, 15);
}

TEST(deduction_guides, from_bodies) {
    flow::graph g;
    flow::input_node source(g, [](tbb::flow_control& control) -> int {
        control.stop();
        return 0;
    });
    flow::function_node function(g, flow::unlimited, [](const int& i) -> double { return i; });
    flow::function_node refusing(g, flow::serial, [](int i) { return i; }, flow::rejecting());
    flow::continue_node done(g, [](const flow::continue_msg&) -> int { return 1; });
    flow::sequencer_node order(g, [](const int& i) -> std::size_t { return static_cast<std::size_t>(i); });
    flow::join_node match(
        g, [](const int& i) -> int { return i; }, [](const double& d) -> int { return int(d); });
    static_assert(std::is_same_v<decltype(source), flow::input_node<int>>);
    static_assert(std::is_same_v<decltype(function), flow::function_node<int, double>>);
    static_assert(std::is_same_v<decltype(refusing), flow::function_node<int, int, flow::rejecting>>);
    static_assert(std::is_same_v<decltype(done), flow::continue_node<int>>);
    static_assert(std::is_same_v<decltype(order), flow::sequencer_node<int>>);
    static_assert(
        std::is_same_v<decltype(match), flow::join_node<std::tuple<int, double>, flow::key_matching<int>>>);
}

TEST(deduction_guides, from_neighbours) {
    flow::graph g;
    std::atomic<int> sum{0};
    flow::broadcast_node<int> a(g);
    flow::broadcast_node<int> b(g);
    flow::queue_node store(flow::follows(a));
    flow::priority_queue_node best(flow::follows(b));
    flow::limiter_node limit(flow::follows(store), 1000);
    flow::join_node join(flow::follows(limit, best));
    flow::split_node split(flow::follows(join));
    flow::indexer_node index(flow::follows(a, b));
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; });
    flow::write_once_node first(flow::precedes(end));
    flow::overwrite_node last(flow::follows(a));
    static_assert(std::is_same_v<decltype(store), flow::queue_node<int>>);
    static_assert(std::is_same_v<decltype(join), flow::join_node<std::tuple<int, int>>>);
    static_assert(std::is_same_v<decltype(split), flow::split_node<std::tuple<int, int>>>);
    static_assert(std::is_same_v<decltype(index), flow::indexer_node<int, int>>);
    static_assert(std::is_same_v<decltype(first), flow::write_once_node<int>>);
    flow::make_edge(flow::output_port<0>(split), end);
    flow::make_edge(flow::output_port<1>(split), end);
    for (int i = 0; i < 50; ++i) {
        a.try_put(i);
        b.try_put(i);
    }
    g.wait_for_all();
    EXPECT_EQ(sum, 2 * sum_below(50));
    int value = 0;
    EXPECT_TRUE(last.try_get(value));
    EXPECT_EQ(value, 49);
}

// Message-based key matching: the message knows its key.
struct keyed {
    int key_ = 0;
    const int& key() const { return key_; }
};

TEST(join_node, the_message_knows_its_key) {
    flow::graph g;
    std::atomic<int> pairs{0};
    flow::join_node<std::tuple<keyed, keyed>, flow::key_matching<int>> join(g);
    flow::function_node<std::tuple<keyed, keyed>> end(
        g, flow::unlimited, [&](const std::tuple<keyed, keyed>& t) {
            pairs += std::get<0>(t).key_ == std::get<1>(t).key_ ? 1 : 0;
        });
    flow::make_edge(join, end);
    for (int i = 0; i < 50; ++i) {
        flow::input_port<0>(join).try_put(keyed{i});
        flow::input_port<1>(join).try_put(keyed{49 - i});
    }
    g.wait_for_all();
    EXPECT_EQ(pairs, 50);
}

TEST(try_put_and_wait, returns_when_the_work_on_the_message_is_done) {
    flow::graph g;
    std::vector<int> done(200);
    flow::function_node<int, int> first(g, flow::unlimited, [](int i) { return i; });
    flow::queue_node<int> store(g);
    flow::function_node<int, int> second(g, flow::serial, [](int i) { return i; });
    flow::function_node<int> third(g, flow::unlimited, [&](int i) { ++done[static_cast<std::size_t>(i)]; });
    flow::make_edge(first, store);
    flow::make_edge(store, second);
    flow::make_edge(second, third);
    for (int i = 0; i < 200; i += 2) {
        first.try_put(i + 1);
        EXPECT_TRUE(first.try_put_and_wait(i));
        EXPECT_EQ(done[static_cast<std::size_t>(i)], 1);
    }
    g.wait_for_all();
    EXPECT_EQ(done, std::vector<int>(200, 1));
}

TEST(try_put_and_wait, from_many_threads_at_once) {
    flow::graph g;
    std::vector<std::atomic<int>> done(200);
    flow::function_node<int, int> first(g, flow::unlimited, [](int i) { return i; });
    flow::buffer_node<int> store(g);
    flow::function_node<int, int, flow::rejecting> second(g, flow::serial, [](int i) { return i; });
    flow::function_node<int, int, flow::lightweight> third(g, flow::unlimited, [&](int i) noexcept {
        ++done[static_cast<std::size_t>(i)];
        return i;
    });
    flow::make_edge(first, store);
    flow::make_edge(store, second);
    flow::make_edge(second, third);
    tbb::parallel_for(0, 200, [&](int i) {
        EXPECT_TRUE(first.try_put_and_wait(i));
        EXPECT_EQ(done[static_cast<std::size_t>(i)], 1);
    });
    g.wait_for_all();
}

TEST(try_put_and_wait, through_continue_nodes_and_broadcasts) {
    flow::graph g;
    std::atomic<int> left{0};
    std::atomic<int> ends{0};
    flow::broadcast_node<flow::continue_msg> start(g);
    flow::continue_node<flow::continue_msg> a(g, [&](flow::continue_msg) { ++left; });
    flow::continue_node<flow::continue_msg> b(g, [&](flow::continue_msg) { ++left; });
    flow::continue_node<flow::continue_msg> end(g, [&](flow::continue_msg) { ++ends; });
    flow::make_edge(start, a);
    flow::make_edge(start, b);
    flow::make_edge(a, end);
    flow::make_edge(b, end);
    for (int i = 1; i <= 50; ++i) {
        EXPECT_TRUE(start.try_put_and_wait(flow::continue_msg()));
        ASSERT_EQ(left, 2 * i);
        ASSERT_EQ(ends, i);
    }
    g.wait_for_all();
}

TEST(try_put_and_wait, through_ports) {
    using pair_type = std::tuple<int, int>;
    flow::graph g;
    std::atomic<int> sum{0};
    flow::join_node<pair_type> join(g);
    flow::split_node<pair_type> split(g);
    flow::indexer_node<int, int> index(g);
    flow::function_node<flow::indexer_node<int, int>::output_type> end(
        g, flow::unlimited, [&](const auto& message) { sum += flow::cast_to<int>(message); });
    flow::make_edge(join, split);
    flow::make_edge(flow::output_port<0>(split), flow::input_port<0>(index));
    flow::make_edge(flow::output_port<1>(split), flow::input_port<1>(index));
    flow::make_edge(index, end);
    for (int i = 0; i < 50; ++i) {
        const int before = sum;
        EXPECT_TRUE(flow::input_port<0>(join).try_put(i));
        EXPECT_TRUE(flow::input_port<1>(join).try_put_and_wait(100));
        ASSERT_EQ(sum, before + i + 100);
        EXPECT_TRUE(flow::input_port<0>(index).try_put_and_wait(1));
        ASSERT_EQ(sum, before + i + 101);
    }
    g.wait_for_all();
}

TEST(try_put_and_wait, is_false_at_once_when_the_node_refuses) {
    flow::graph g;
    gate finish;
    std::atomic<int> ran{0};
    flow::function_node<int, int, flow::rejecting> node(g, flow::serial, [&](int i) {
        finish.wait();
        ++ran;
        return i;
    });
    EXPECT_TRUE(node.try_put(0));
    EXPECT_FALSE(node.try_put_and_wait(1));
    finish.open();
    g.wait_for_all();
    EXPECT_EQ(ran, 1);
    EXPECT_TRUE(node.try_put_and_wait(2));
    EXPECT_EQ(ran, 2);
    g.wait_for_all();
}

TEST(try_put_and_wait, through_ordering_and_limiting_nodes) {
    flow::graph g;
    std::vector<int> got;
    flow::sequencer_node<int> order(g, [](const int& i) { return static_cast<std::size_t>(i); });
    flow::priority_queue_node<int> best(g);
    flow::limiter_node<int> limit(g, 2);
    flow::function_node<int, flow::continue_msg> end(g, flow::serial, [&](int i) {
        got.push_back(i);
        return flow::continue_msg();
    });
    flow::make_edge(order, best);
    flow::make_edge(best, limit);
    flow::make_edge(limit, end);
    flow::make_edge(end, limit.decrementer());
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(order.try_put_and_wait(i));
        ASSERT_EQ(got.size(), static_cast<std::size_t>(i) + 1);
    }
    g.wait_for_all();
    EXPECT_EQ(got, first_numbers(100));
}

}  // namespace
