// function_node, continue_node, multifunction_node and async_node: policies, concurrency limits, copies, gateways.

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/flow_graph.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <tuple>
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

template <class Policy>
void expect_limit_holds(std::size_t limit) {
    flow::graph g;
    meter m;
    std::atomic<int> sum{0};
    flow::queue_node<int> store(g);
    flow::function_node<int, int, Policy> node(g, limit, [&](int i) noexcept {
        metered inside(m);
        std::this_thread::yield();
        return 2 * i;
    });
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; });
    flow::make_edge(store, node);
    flow::make_edge(node, end);
    for (int i = 0; i < 300; ++i)
        store.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(sum, 2 * sum_below(300));
    EXPECT_EQ(m.entries(), 300);
    if (limit != flow::unlimited) {
        EXPECT_LE(m.peak(), static_cast<int>(limit));
    }
}

template <class Policy>
class function_node_policy : public testing::Test {};

using policies = testing::Types<flow::queueing, flow::rejecting, flow::lightweight,
                                flow::queueing_lightweight, flow::rejecting_lightweight>;
TYPED_TEST_SUITE(function_node_policy, policies);

TYPED_TEST(function_node_policy, serial) {
    expect_limit_holds<TypeParam>(flow::serial);
}
TYPED_TEST(function_node_policy, three_at_once) {
    expect_limit_holds<TypeParam>(3);
}
TYPED_TEST(function_node_policy, unlimited) {
    expect_limit_holds<TypeParam>(flow::unlimited);
}

TEST(function_node, queueing_serial_keeps_the_order) {
    flow::graph g;
    std::vector<int> got;
    flow::function_node<int> node(g, flow::serial, [&](int i) { got.push_back(i); });
    for (int i = 0; i < 500; ++i)
        EXPECT_TRUE(node.try_put(i));
    g.wait_for_all();
    EXPECT_EQ(got, first_numbers(500));
}

TEST(function_node, rejecting_refuses_while_busy) {
    flow::graph g;
    gate finish;
    std::atomic<int> ran{0};
    const auto body = [&](int) {
        finish.wait();
        ++ran;
        return flow::continue_msg();
    };
    flow::function_node<int, flow::continue_msg, flow::rejecting> node(g, 2, body);
    EXPECT_TRUE(node.try_put(0));
    EXPECT_TRUE(node.try_put(1));
    EXPECT_FALSE(node.try_put(2));
    EXPECT_FALSE(node.try_put(3));
    finish.open();
    g.wait_for_all();
    EXPECT_EQ(ran, 2);
    EXPECT_TRUE(node.try_put(4));
    g.wait_for_all();
    EXPECT_EQ(ran, 3);
}

TEST(function_node, lightweight_serial_is_still_serial) {
    flow::graph g;
    meter m;
    int plain = 0;
    flow::function_node<int, int, flow::lightweight> spread(g, flow::unlimited,
                                                            [](int i) noexcept { return i; });
    flow::function_node<int, int, flow::lightweight> node(g, flow::serial, [&](int i) noexcept {
        metered inside(m);
        plain += i;
        return i;
    });
    flow::function_node<int, int> front(g, flow::unlimited, [](int i) { return i; });
    flow::make_edge(front, spread);
    flow::make_edge(spread, node);
    for (int i = 0; i < 400; ++i)
        front.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(plain, sum_below(400));
    EXPECT_EQ(m.peak(), 1);
}

TEST(function_node, lightweight_body_that_may_throw) {
    flow::graph g;
    std::atomic<int> sum{0};
    flow::function_node<int, int, flow::lightweight> node(g, flow::unlimited, [&](int i) {
        sum += i;
        return i;
    });
    for (int i = 0; i < 50; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(sum, sum_below(50));
}

// A body that puts into its own node: the work ends when nobody puts any more.
TEST(function_node, cycle) {
    flow::graph g;
    std::atomic<int> ran{0};
    flow::function_node<int, int>* again = nullptr;
    flow::function_node<int, int> node(g, flow::unlimited, [&](int depth) {
        ++ran;
        for (int i = 0; depth > 0 && i < 2; ++i)
            again->try_put(depth - 1);
        return depth;
    });
    again = &node;
    node.try_put(7);
    g.wait_for_all();
    EXPECT_EQ(ran, 255);
}

TEST(function_node, member_pointers_are_bodies) {
    struct message {
        int value_ = 0;
        int twice() const { return 2 * value_; }
    };
    flow::graph g;
    std::atomic<int> sum{0};
    flow::function_node<message, int> field(g, flow::unlimited, &message::value_);
    flow::function_node<message, int> method(g, flow::serial, &message::twice);
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; });
    flow::make_edge(field, end);
    flow::make_edge(method, end);
    for (int i = 0; i < 10; ++i) {
        field.try_put(message{i});
        method.try_put(message{i});
    }
    g.wait_for_all();
    EXPECT_EQ(sum, 3 * sum_below(10));
}

struct summing_body {
    int operator()(int i) { return total_ += i; }
    int total_ = 0;
};

TEST(function_node, copies_get_the_first_body_and_no_edges) {
    flow::graph g;
    std::atomic<int> arrived{0};
    flow::function_node<int, int> node(g, flow::serial, summing_body());
    flow::function_node<int> end(g, flow::unlimited, [&](int) { ++arrived; });
    flow::make_edge(node, end);
    for (int i = 1; i <= 4; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(flow::copy_body<summing_body>(node).total_, 10);
    flow::function_node<int, int> copy(node);
    EXPECT_EQ(flow::copy_body<summing_body>(copy).total_, 0);
    copy.try_put(5);
    g.wait_for_all();
    EXPECT_EQ(arrived, 4);
    EXPECT_EQ(flow::copy_body<summing_body>(copy).total_, 5);
}

TEST(function_node, objects_in_messages_are_all_destroyed) {
    struct tag {};
    using item = headers_only::tracked<tag>;
    std::atomic<int> sum{0};
    {
        flow::graph g;
        flow::function_node<item, item> first(g, 2, [](const item& i) { return item(i.value() + 1); });
        flow::queue_node<item> store(g);
        flow::function_node<item> last(g, flow::unlimited, [&](const item& i) { sum += i.value(); });
        flow::make_edge(first, store);
        flow::make_edge(store, last);
        for (int i = 0; i < 200; ++i)
            first.try_put(item(i));
        g.wait_for_all();
    }
    EXPECT_EQ(sum, sum_below(201));
    EXPECT_EQ(item::live(), 0);
}

TEST(continue_node, fires_once_per_full_set_of_signals) {
    flow::graph g;
    std::atomic<int> fired{0};
    flow::continue_node<flow::continue_msg> a(g, [](flow::continue_msg m) { return m; });
    flow::continue_node<flow::continue_msg> b(g, [](flow::continue_msg m) { return m; });
    flow::continue_node<int> node(g, 1, [&](flow::continue_msg) { return ++fired; });
    flow::make_edge(a, node);
    flow::make_edge(b, node);
    for (int round = 1; round <= 3; ++round) {
        a.try_put(flow::continue_msg());
        b.try_put(flow::continue_msg());
        g.wait_for_all();
        EXPECT_EQ(fired, round - 1) << "the number given counts as well";
        node.try_put(flow::continue_msg());
        g.wait_for_all();
        EXPECT_EQ(fired, round);
    }
    flow::remove_edge(b, node);
    a.try_put(flow::continue_msg());
    node.try_put(flow::continue_msg());
    g.wait_for_all();
    EXPECT_EQ(fired, 4);
}

TEST(continue_node, reset_forgets_signals) {
    flow::graph g;
    std::atomic<int> fired{0};
    flow::continue_node<flow::continue_msg, flow::lightweight> node(g, 2, [&](flow::continue_msg m) noexcept {
        ++fired;
        return m;
    });
    node.try_put(flow::continue_msg());
    g.wait_for_all();
    g.reset();
    node.try_put(flow::continue_msg());
    g.wait_for_all();
    EXPECT_EQ(fired, 0);
    node.try_put(flow::continue_msg());
    g.wait_for_all();
    EXPECT_EQ(fired, 1);
}

TEST(continue_node, many_signals_from_many_threads) {
    flow::graph g;
    std::atomic<int> fired{0};
    flow::continue_node<flow::continue_msg> node(g, 4, [&](flow::continue_msg m) {
        ++fired;
        return m;
    });
    flow::function_node<int, flow::continue_msg> senders(g, flow::unlimited,
                                                         [](int) { return flow::continue_msg(); });
    senders.try_put(0);
    g.wait_for_all();
    flow::graph other;
    flow::function_node<int> putting(other, flow::unlimited,
                                     [&](int) { node.try_put(flow::continue_msg()); });
    for (int i = 0; i < 400; ++i)
        putting.try_put(i);
    other.wait_for_all();
    g.wait_for_all();
    EXPECT_EQ(fired, 100);
}

TEST(multifunction_node, sends_to_any_port_any_number_of_times) {
    using node_type = flow::multifunction_node<int, std::tuple<int, long>>;
    flow::graph g;
    std::atomic<int> even{0};
    std::atomic<long> odd{0};
    meter m;
    node_type node(g, 2, [&](int i, node_type::output_ports_type& ports) {
        metered inside(m);
        if (i % 2 == 0)
            EXPECT_TRUE(std::get<0>(ports).try_put(i));
        else
            for (int k = 0; k < 3; ++k)
                EXPECT_TRUE(std::get<1>(ports).try_put(long{i}));
    });
    flow::function_node<int> on_even(g, flow::unlimited, [&](int i) { even += i; });
    flow::function_node<long> on_odd(g, flow::serial, [&](long i) { odd += i; });
    flow::make_edge(flow::output_port<0>(node), on_even);
    flow::make_edge(flow::output_port<1>(node), on_odd);
    for (int i = 0; i < 100; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(even, 2450);
    EXPECT_EQ(odd, 7500);
    EXPECT_LE(m.peak(), 2);
}

TEST(multifunction_node, rejecting_and_copy) {
    using node_type = flow::multifunction_node<int, std::tuple<int>, flow::rejecting>;
    flow::graph g;
    gate finish;
    std::atomic<int> ran{0};
    node_type node(g, flow::serial, [&](int, node_type::output_ports_type&) {
        finish.wait();
        ++ran;
    });
    EXPECT_TRUE(node.try_put(0));
    EXPECT_FALSE(node.try_put(1));
    node_type copy(node);
    EXPECT_TRUE(copy.try_put(2));
    finish.open();
    g.wait_for_all();
    EXPECT_EQ(ran, 2);
}

// A thread outside oneTBB answers the requests of an async_node, through its gateway.
class outside_service {
public:
    using node_type = flow::async_node<int, int>;
    using gateway_type = node_type::gateway_type;

    ~outside_service() {
        requests_.push(request{-1, nullptr});
        thread_.join();
    }
    void submit(int value, gateway_type& gateway) {
        gateway.reserve_wait();
        requests_.push(request{value, &gateway});
    }

private:
    struct request {
        int value_ = 0;
        gateway_type* gateway_ = nullptr;
    };
    void serve() {
        request next;
        for (requests_.pop(next); next.gateway_; requests_.pop(next)) {
            next.gateway_->try_put(next.value_ * 10);
            next.gateway_->release_wait();
        }
    }
    tbb::concurrent_bounded_queue<request> requests_;
    std::thread thread_{[this] { serve(); }};
};

TEST(async_node, answers_come_from_another_thread) {
    outside_service service;
    flow::graph g;
    std::vector<int> got;
    outside_service::node_type node(
        g, flow::unlimited,
        [&](int value, outside_service::gateway_type& gateway) { service.submit(value, gateway); });
    flow::function_node<int> end(g, flow::serial, [&](int i) { got.push_back(i / 10); });
    flow::make_edge(node, end);
    for (int round = 1; round <= 2; ++round) {
        got.clear();
        for (int i = 0; i < 100; ++i)
            EXPECT_TRUE(node.try_put(i));
        g.wait_for_all();
        std::sort(got.begin(), got.end());
        EXPECT_EQ(got, first_numbers(100));
    }
}

TEST(async_node, gateway_used_inside_the_body_and_before_it) {
    using node_type = flow::async_node<int, int, flow::queueing>;
    flow::graph g;
    std::atomic<int> sum{0};
    node_type node(g, flow::serial, [](int value, node_type::gateway_type& gateway) {
        gateway.try_put(value);
        gateway.try_put(value);
    });
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; });
    flow::make_edge(flow::output_port<0>(node), end);
    node.gateway().try_put(1000);
    for (int i = 0; i < 20; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(sum, 1000 + 2 * sum_below(20));
}

}  // namespace
