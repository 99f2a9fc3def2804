// The graph itself (waiting, resetting, cancelling, exceptions) and the nodes that run a body.

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

namespace flow = tbb::flow;
using headers_only::first_numbers;
using headers_only::meter;
using headers_only::metered;
using headers_only::sum_below;
using headers_only::test_error;

// A serial node that keeps what it got, in the order it got it. Read it after wait_for_all().
template <class T>
class sink : public flow::function_node<T, flow::continue_msg> {
public:
    explicit sink(flow::graph& g)
        : flow::function_node<T, flow::continue_msg>(g, flow::serial, [this](const T& value) {
              received_.push_back(value);
              return flow::continue_msg();
          }) {}
    const std::vector<T>& received() const { return received_; }
    std::vector<T> sorted() const {
        auto copy = received_;
        std::sort(copy.begin(), copy.end());
        return copy;
    }

private:
    std::vector<T> received_;
};

// Numbers below n, then stops. A new copy starts at zero again.
class counting_body {
public:
    explicit counting_body(int n) : n_(n) {}
    int operator()(tbb::flow_control& control) {
        if (next_ == n_) {
            control.stop();
            return 0;
        }
        return next_++;
    }
    int next() const { return next_; }

private:
    int n_;
    int next_ = 0;
};

TEST(graph, waiting_without_work_returns_at_once) {
    flow::graph g;
    g.wait_for_all();
    g.wait_for_all();
    EXPECT_FALSE(g.is_cancelled());
    EXPECT_FALSE(g.exception_thrown());
}

TEST(graph, wait_for_all_sees_the_effects_of_every_body) {
    flow::graph g;
    std::vector<int> marks(500);
    flow::function_node<int> node(g, flow::unlimited,
                                  [&](int i) { marks[static_cast<std::size_t>(i)] = i + 1; });
    for (int round = 0; round < 3; ++round) {
        std::fill(marks.begin(), marks.end(), 0);
        for (int i = 0; i < 500; ++i)
            EXPECT_TRUE(node.try_put(i));
        g.wait_for_all();
        for (int i = 0; i < 500; ++i)
            ASSERT_EQ(marks[static_cast<std::size_t>(i)], i + 1);
    }
}

TEST(graph, reserve_wait_holds_wait_for_all_until_release_wait) {
    flow::graph g;
    sink<int> end(g);
    std::atomic<bool> released{false};
    g.reserve_wait();
    g.reserve_wait();
    std::thread outsider([&] {
        end.try_put(7);
        g.release_wait();
        end.try_put(8);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));  // lets the waiting thread fall asleep
        released = true;
        g.release_wait();
    });
    g.wait_for_all();
    EXPECT_TRUE(released);
    EXPECT_EQ(end.received(), (std::vector<int>{7, 8}));
    outsider.join();
}

TEST(graph, destructor_waits) {
    std::atomic<bool> released{false};
    std::thread outsider;
    {
        flow::graph g;
        g.reserve_wait();
        outsider = std::thread([&] {
            released = true;
            g.release_wait();
        });
    }
    EXPECT_TRUE(released);
    outsider.join();
}

int count_nodes(const flow::graph& g) {
    int nodes = 0;
    for (auto i = g.cbegin(); i != g.cend(); ++i)
        ++nodes;
    return nodes;
}

TEST(graph, iterates_over_its_nodes) {
    flow::graph g;
    flow::buffer_node<int> a(g);
    flow::broadcast_node<int> b(g);
    std::set<const flow::graph_node*> seen;
    for (auto& node : g)
        seen.insert(&node);
    const std::set<const flow::graph_node*> expected{&a, &b};
    EXPECT_EQ(seen, expected);
    {
        flow::queue_node<int> c(g);
        EXPECT_EQ(count_nodes(g), 3);
    }
    EXPECT_EQ(count_nodes(g), 2);
}

// The first body of a serial node cancels: those that wait for it never run.
TEST(graph, cancel_drops_what_has_not_begun) {
    flow::graph g;
    std::atomic<int> ran{0};
    flow::function_node<int> node(g, flow::serial, [&](int) {
        ++ran;
        g.cancel();
    });
    for (int i = 0; i < 100; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_TRUE(g.is_cancelled());
    EXPECT_FALSE(g.exception_thrown());
    EXPECT_EQ(ran, 1);

    g.reset();
    g.wait_for_all();
    EXPECT_FALSE(g.is_cancelled());
    EXPECT_EQ(ran, 1);
}

TEST(graph, runs_again_after_cancel_and_reset) {
    flow::graph g;
    std::atomic<int> sum{0};
    flow::function_node<int> node(g, flow::unlimited, [&](int i) { sum += i; });
    g.cancel();
    node.try_put(1000);
    g.wait_for_all();
    EXPECT_TRUE(g.is_cancelled());
    EXPECT_EQ(sum, 0);
    g.reset();
    for (int i = 0; i < 10; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_FALSE(g.is_cancelled());
    EXPECT_EQ(sum, sum_below(10));
}

TEST(graph, bodies_see_the_cancellation_of_their_group) {
    flow::graph g;
    bool before = true;
    bool after = false;
    flow::function_node<int> node(g, flow::serial, [&](int) {
        before = tbb::is_current_task_group_canceling();
        g.cancel();
        after = tbb::is_current_task_group_canceling();
    });
    node.try_put(0);
    g.wait_for_all();
    EXPECT_FALSE(before);
    EXPECT_TRUE(after);
}

TEST(graph, runs_in_the_context_it_was_given) {
    tbb::task_group_context context;
    flow::graph g(context);
    std::atomic<int> ran{0};
    tbb::task_group_context* seen = nullptr;
    flow::function_node<int> node(g, flow::serial, [&](int) {
        seen = tbb::task::current_context();
        ++ran;
    });
    node.try_put(1);
    g.wait_for_all();
    EXPECT_EQ(seen, &context);
    EXPECT_FALSE(g.is_cancelled());

    context.cancel_group_execution();
    node.try_put(2);
    g.wait_for_all();
    EXPECT_TRUE(g.is_cancelled());
    EXPECT_EQ(ran, 1);
    EXPECT_FALSE(context.is_group_execution_cancelled()) << "wait_for_all resets the context";
}

TEST(graph, wait_for_all_throws_what_a_body_threw) {
    flow::graph g;
    std::atomic<int> after{0};
    flow::function_node<int, int> node(g, flow::unlimited, [](int i) -> int {
        if (i == 13)
            throw test_error(i);
        return i;
    });
    flow::function_node<int> next(g, flow::serial, [&](int i) {
        EXPECT_NE(i, 13);
        ++after;
    });
    flow::make_edge(node, next);
    for (int i = 0; i < 100; ++i)
        node.try_put(i);
    int code = 0;
    try {
        g.wait_for_all();
    } catch (const test_error& error) {
        code = error.code_;
    }
    EXPECT_EQ(code, 13);
    EXPECT_TRUE(g.exception_thrown());
    EXPECT_TRUE(g.is_cancelled());
    EXPECT_LE(after, 99);

    g.reset();
    after = 0;
    for (int i = 0; i < 10; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_FALSE(g.exception_thrown());
    EXPECT_FALSE(g.is_cancelled());
    EXPECT_EQ(after, 10);
}

template <class MakeWork>
void expect_one_error(MakeWork&& make_work) {
    flow::graph g;
    auto work = make_work(g);
    EXPECT_THROW(g.wait_for_all(), test_error);
    EXPECT_TRUE(g.exception_thrown());
    g.reset();
    g.wait_for_all();
    EXPECT_FALSE(g.exception_thrown());
}

TEST(graph, exceptions_come_from_every_kind_of_body) {
    expect_one_error([](flow::graph& g) {
        auto node = std::make_unique<flow::continue_node<int>>(
            g, [](flow::continue_msg) -> int { throw test_error(1); });
        node->try_put(flow::continue_msg());
        return node;
    });
    expect_one_error([](flow::graph& g) {
        using node_type = flow::multifunction_node<int, std::tuple<int>>;
        const auto body = [](int, node_type::output_ports_type&) { throw test_error(2); };
        auto node = std::make_unique<node_type>(g, flow::serial, body);
        node->try_put(0);
        return node;
    });
    expect_one_error([](flow::graph& g) {
        using node_type = flow::async_node<int, int>;
        const auto body = [](int, node_type::gateway_type&) { throw test_error(3); };
        auto node = std::make_unique<node_type>(g, flow::serial, body);
        node->try_put(0);
        return node;
    });
    expect_one_error([](flow::graph& g) {
        const auto body = [](int) -> int { throw test_error(4); };
        using node_type = flow::function_node<int, int, flow::lightweight>;
        auto node = std::make_unique<node_type>(g, flow::unlimited, body);
        node->try_put(0);
        return node;
    });
}

TEST(graph, exception_of_an_input_node) {
    flow::graph g;
    sink<int> end(g);
    flow::input_node<int> source(g, [i = 0](tbb::flow_control&) mutable -> int {
        if (i == 3)
            throw test_error(3);
        return i++;
    });
    flow::make_edge(source, end);
    source.activate();
    EXPECT_THROW(g.wait_for_all(), test_error);
    EXPECT_LE(end.received().size(), 3u);
}

TEST(graph, reset_flags) {
    flow::graph g;
    sink<int> end(g);
    flow::input_node<int> source(g, counting_body(5));
    flow::make_edge(source, end);
    source.activate();
    g.wait_for_all();
    EXPECT_EQ(end.received(), first_numbers(5));
    EXPECT_EQ(flow::copy_body<counting_body>(source).next(), 5);

    g.reset(flow::rf_reset_protocol);
    EXPECT_EQ(flow::copy_body<counting_body>(source).next(), 5);

    g.reset(flow::rf_reset_bodies);
    EXPECT_EQ(flow::copy_body<counting_body>(source).next(), 0);
    sink<int> late(g);
    flow::make_edge(source, late);
    g.wait_for_all();
    EXPECT_TRUE(late.received().empty()) << "a reset input_node waits for activate()";
    EXPECT_EQ(end.received().size(), 5u);
    source.activate();
    g.wait_for_all();
    EXPECT_EQ(end.received().size(), 10u);

    g.reset(static_cast<flow::reset_flags>(flow::rf_reset_bodies | flow::rf_clear_edges));
    source.activate();
    g.wait_for_all();
    EXPECT_EQ(end.received().size(), 10u) << "without an edge nothing arrives";
}

TEST(input_node, one_source_several_successors) {
    flow::graph g;
    sink<int> a(g);
    sink<int> b(g);
    meter m;
    flow::input_node<int> source(g, [&m, body = counting_body(200)](tbb::flow_control& control) mutable {
        metered inside(m);
        return body(control);
    });
    flow::make_edge(source, a);
    flow::make_edge(source, b);
    g.wait_for_all();
    EXPECT_TRUE(a.received().empty());
    source.activate();
    g.wait_for_all();
    EXPECT_EQ(a.received(), first_numbers(200));
    EXPECT_EQ(b.received(), first_numbers(200));
    EXPECT_EQ(m.peak(), 1);
    EXPECT_EQ(m.entries(), 201);
}

// The successor refuses while it is busy, so the source keeps the item and the successor fetches it.
TEST(input_node, keeps_what_a_rejecting_successor_refuses) {
    flow::graph g;
    std::vector<int> got;
    flow::function_node<int, flow::continue_msg, flow::rejecting> node(g, flow::serial, [&](int i) {
        got.push_back(i);
        return flow::continue_msg();
    });
    flow::input_node<int> source(g, counting_body(300));
    flow::make_edge(source, node);
    source.activate();
    g.wait_for_all();
    EXPECT_EQ(got, first_numbers(300));
}

TEST(input_node, copies_start_afresh) {
    flow::graph g;
    sink<int> end(g);
    flow::input_node<int> source(g, counting_body(4));
    flow::make_edge(source, end);
    source.activate();
    g.wait_for_all();
    flow::input_node<int> copy(source);
    EXPECT_EQ(flow::copy_body<counting_body>(copy).next(), 0);
    copy.activate();
    g.wait_for_all();
    EXPECT_EQ(end.received().size(), 4u) << "edges are not copied";
    flow::make_edge(copy, end);
    g.wait_for_all();
    EXPECT_EQ(end.received().size(), 8u);
}

}  // namespace
