// The nodes that keep, order, limit or copy messages and run no body of the user.
// Each test waits for the graph before its nodes go: a put may leave a task that names the node.

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

namespace flow = tbb::flow;
using headers_only::first_numbers;
using headers_only::gate;
using headers_only::meter;
using headers_only::metered;
using headers_only::sum_below;

template <class Node>
std::vector<int> take_all(Node& node) {
    std::vector<int> taken;
    for (int value; node.try_get(value);)
        taken.push_back(value);
    return taken;
}

std::vector<int> sorted(std::vector<int> values) {
    std::sort(values.begin(), values.end());
    return values;
}

std::vector<int> shuffled(int n) {
    auto numbers = first_numbers(n);
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(42));
    return numbers;
}

// Two refusing successors share what the store holds: each message goes to exactly one of them.
template <class Store>
void expect_each_message_once(Store& store, flow::graph& g) {
    std::vector<std::atomic<int>> hits(400);
    const auto body = [&](int i) {
        ++hits[static_cast<std::size_t>(i)];
        return flow::continue_msg();
    };
    flow::function_node<int, flow::continue_msg, flow::rejecting> a(g, flow::serial, body);
    flow::function_node<int, flow::continue_msg, flow::rejecting> b(g, 2, body);
    flow::make_edge(store, a);
    flow::make_edge(store, b);
    tbb::parallel_for(0, 400, [&](int i) { EXPECT_TRUE(store.try_put(i)); });
    g.wait_for_all();
    for (auto& hit : hits)
        ASSERT_EQ(hit, 1);
    int left = 0;
    EXPECT_FALSE(store.try_get(left));
}

TEST(buffer_node, keeps_everything_in_any_order) {
    flow::graph g;
    flow::buffer_node<int> node(g);
    tbb::parallel_for(0, 300, [&](int i) { EXPECT_TRUE(node.try_put(i)); });
    g.wait_for_all();
    EXPECT_EQ(sorted(take_all(node)), first_numbers(300));
}

TEST(buffer_node, one_receiver_per_message) {
    flow::graph g;
    flow::buffer_node<int> node(g);
    expect_each_message_once(node, g);
}

TEST(buffer_node, reset_empties_it_and_copies_are_empty) {
    flow::graph g;
    flow::buffer_node<int> node(g);
    node.try_put(1);
    flow::buffer_node<int> copy(node);
    int value = 0;
    EXPECT_FALSE(copy.try_get(value));
    g.wait_for_all();
    g.reset();
    EXPECT_FALSE(node.try_get(value));
    g.wait_for_all();
}

TEST(queue_node, first_in_first_out) {
    flow::graph g;
    flow::queue_node<int> node(g);
    for (int i = 0; i < 200; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(take_all(node), first_numbers(200));

    std::vector<int> got;
    flow::function_node<int> end(g, flow::serial, [&](int i) { got.push_back(i); });
    flow::make_edge(node, end);
    for (int i = 0; i < 200; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(got, first_numbers(200));
}

TEST(queue_node, an_edge_made_late_gets_what_is_there) {
    flow::graph g;
    flow::queue_node<int> node(g);
    for (int i = 0; i < 50; ++i)
        node.try_put(i);
    std::vector<int> got;
    flow::function_node<int, flow::continue_msg, flow::rejecting> end(g, flow::serial, [&](int i) {
        got.push_back(i);
        return flow::continue_msg();
    });
    flow::make_edge(node, end);
    g.wait_for_all();
    EXPECT_EQ(got, first_numbers(50));
}

TEST(queue_node, one_receiver_per_message) {
    flow::graph g;
    flow::queue_node<int> node(g);
    expect_each_message_once(node, g);
}

TEST(priority_queue_node, best_first) {
    flow::graph g;
    flow::priority_queue_node<int> largest(g);
    flow::priority_queue_node<int, std::greater<int>> smallest(g);
    for (int i : shuffled(200)) {
        largest.try_put(i);
        smallest.try_put(i);
    }
    g.wait_for_all();
    auto down = take_all(largest);
    std::reverse(down.begin(), down.end());
    EXPECT_EQ(down, first_numbers(200));
    EXPECT_EQ(take_all(smallest), first_numbers(200));
}

// While the successor is busy with one message all the others arrive; then they come best first.
TEST(priority_queue_node, orders_what_waits_for_a_busy_successor) {
    flow::graph g;
    gate all_put;
    std::vector<int> got;
    flow::priority_queue_node<int> store(g);
    flow::function_node<int, flow::continue_msg, flow::rejecting> end(g, flow::serial, [&](int i) {
        all_put.wait();
        got.push_back(i);
        return flow::continue_msg();
    });
    flow::make_edge(store, end);
    for (int i : shuffled(100))
        store.try_put(i);
    all_put.open();
    g.wait_for_all();
    ASSERT_EQ(got.size(), 100u);
    EXPECT_TRUE(std::is_sorted(got.begin() + 1, got.end(), std::greater<int>()));
    EXPECT_EQ(sorted(got), first_numbers(100));
}

TEST(priority_queue_node, one_receiver_per_message) {
    flow::graph g;
    flow::priority_queue_node<int> node(g);
    expect_each_message_once(node, g);
}

TEST(sequencer_node, restores_the_order) {
    flow::graph g;
    std::vector<int> got;
    const auto number = [](const int& i) { return static_cast<std::size_t>(i); };
    flow::sequencer_node<int> node(g, number);
    flow::function_node<int> end(g, flow::serial, [&](int i) { got.push_back(i); });
    flow::make_edge(node, end);
    const auto numbers = shuffled(400);
    tbb::parallel_for(std::size_t{0}, numbers.size(),
                      [&](std::size_t i) { EXPECT_TRUE(node.try_put(numbers[i])); });
    g.wait_for_all();
    EXPECT_EQ(got, first_numbers(400));
}

TEST(sequencer_node, waits_for_the_gap_and_refuses_duplicates) {
    flow::graph g;
    std::vector<int> got;
    flow::sequencer_node<int> node(g, [](const int& i) { return static_cast<std::size_t>(i); });
    flow::function_node<int> end(g, flow::serial, [&](int i) { got.push_back(i); });
    flow::make_edge(node, end);
    EXPECT_TRUE(node.try_put(2));
    EXPECT_TRUE(node.try_put(1));
    EXPECT_FALSE(node.try_put(1));
    g.wait_for_all();
    EXPECT_TRUE(got.empty());
    EXPECT_TRUE(node.try_put(0));
    g.wait_for_all();
    EXPECT_EQ(got, first_numbers(3));
    EXPECT_FALSE(node.try_put(0));
    g.wait_for_all();
}

TEST(overwrite_node, last_value_stays) {
    flow::graph g;
    flow::overwrite_node<int> node(g);
    int value = 0;
    EXPECT_FALSE(node.is_valid());
    EXPECT_FALSE(node.try_get(value));
    EXPECT_TRUE(node.try_put(1));
    EXPECT_TRUE(node.try_put(2));
    g.wait_for_all();
    EXPECT_TRUE(node.is_valid());
    EXPECT_TRUE(node.try_get(value));
    EXPECT_TRUE(node.try_get(value));
    EXPECT_EQ(value, 2);
    flow::overwrite_node<int> copy(node);
    EXPECT_FALSE(copy.is_valid());
    node.clear();
    EXPECT_FALSE(node.is_valid());
    node.try_put(3);
    g.wait_for_all();
    g.reset();
    EXPECT_FALSE(node.is_valid());
}

TEST(overwrite_node, a_new_successor_gets_the_value) {
    flow::graph g;
    std::vector<int> early;
    std::vector<int> late;
    flow::overwrite_node<int> node(g);
    flow::function_node<int> a(g, flow::serial, [&](int i) { early.push_back(i); });
    flow::function_node<int> b(g, flow::serial, [&](int i) { late.push_back(i); });
    flow::make_edge(node, a);
    node.try_put(1);
    node.try_put(2);
    g.wait_for_all();
    flow::make_edge(node, b);
    g.wait_for_all();
    EXPECT_EQ(early, (std::vector<int>{1, 2}));
    EXPECT_EQ(late, std::vector<int>{2});
    node.try_put(3);
    g.wait_for_all();
    EXPECT_EQ(late, (std::vector<int>{2, 3}));
}

TEST(write_once_node, first_value_stays) {
    flow::graph g;
    std::atomic<int> sum{0};
    flow::write_once_node<int> node(g);
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; });
    flow::make_edge(node, end);
    std::atomic<int> accepted{0};
    tbb::parallel_for(1, 100, [&](int i) { accepted += node.try_put(i) ? 1 : 0; });
    g.wait_for_all();
    EXPECT_EQ(accepted, 1);
    int value = 0;
    EXPECT_TRUE(node.try_get(value));
    EXPECT_EQ(sum, value);
    EXPECT_FALSE(node.try_put(1000));
    node.clear();
    EXPECT_TRUE(node.try_put(1000));
    g.wait_for_all();
    EXPECT_EQ(sum, value + 1000);
}

TEST(limiter_node, refuses_above_the_threshold) {
    flow::graph g;
    flow::limiter_node<int> limiter(g, 3);
    flow::queue_node<int> store(g);
    flow::make_edge(limiter, store);
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(limiter.try_put(i));
    EXPECT_FALSE(limiter.try_put(3));
    EXPECT_FALSE(limiter.try_put(3));
    limiter.decrementer().try_put(flow::continue_msg());
    g.wait_for_all();
    EXPECT_TRUE(limiter.try_put(3));
    EXPECT_FALSE(limiter.try_put(4));
    g.wait_for_all();
    EXPECT_EQ(take_all(store), first_numbers(4));
    g.reset();
    EXPECT_TRUE(limiter.try_put(0));
    g.wait_for_all();
}

TEST(limiter_node, decrement_by_numbers) {
    flow::graph g;
    flow::limiter_node<int, int> limiter(g, 3);
    flow::queue_node<int> store(g);
    flow::make_edge(limiter, store);
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(limiter.try_put(i));
    limiter.decrementer().try_put(2);
    g.wait_for_all();
    EXPECT_TRUE(limiter.try_put(3));
    EXPECT_TRUE(limiter.try_put(4));
    EXPECT_FALSE(limiter.try_put(5));
    limiter.decrementer().try_put(3);
    limiter.decrementer().try_put(-2);
    g.wait_for_all();
    EXPECT_TRUE(limiter.try_put(5));
    EXPECT_FALSE(limiter.try_put(6));
    g.wait_for_all();
    EXPECT_EQ(take_all(store), first_numbers(6));
}

// Source, limiter, work, and back to the limiter: never more at work than it lets through, and all come through.
TEST(limiter_node, bounds_what_is_in_flight) {
    flow::graph g;
    meter m;
    int next = 0;
    std::atomic<int> sum{0};
    flow::input_node<int> source(g, [&](tbb::flow_control& control) {
        if (next == 500) {
            control.stop();  // each time: a limiter_node beside may ask again
            return 0;
        }
        return next++;
    });
    flow::limiter_node<int> limiter(g, 4);
    flow::function_node<int, flow::continue_msg> work(g, flow::unlimited, [&](int i) {
        metered inside(m);
        sum += i;
        std::this_thread::yield();
        return flow::continue_msg();
    });
    flow::make_edge(source, limiter);
    flow::make_edge(limiter, work);
    flow::make_edge(work, limiter.decrementer());
    source.activate();
    g.wait_for_all();
    EXPECT_EQ(sum, sum_below(500));
    EXPECT_LE(m.peak(), 4);
}

TEST(broadcast_node, to_all_and_kept_by_none) {
    flow::graph g;
    std::atomic<int> a{0};
    std::atomic<int> b{0};
    std::atomic<int> c{0};
    flow::broadcast_node<int> node(g);
    flow::function_node<int> to_a(g, flow::serial, [&](int i) { a += i; });
    flow::function_node<int> to_b(g, flow::unlimited, [&](int i) { b += i; });
    flow::function_node<int> to_c(g, flow::unlimited, [&](int i) { c += i; });
    flow::make_edge(node, to_a);
    flow::make_edge(node, to_b);
    tbb::parallel_for(0, 200, [&](int i) { EXPECT_TRUE(node.try_put(i)); });
    g.wait_for_all();
    flow::make_edge(node, to_c);
    g.wait_for_all();
    EXPECT_EQ(a, sum_below(200));
    EXPECT_EQ(b, sum_below(200));
    EXPECT_EQ(c, 0);
    flow::remove_edge(node, to_a);
    node.try_put(1);
    g.wait_for_all();
    EXPECT_EQ(a, sum_below(200));
    EXPECT_EQ(b, sum_below(200) + 1);
    EXPECT_EQ(c, 1);
}

}  // namespace
