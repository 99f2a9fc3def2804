// oneTBB's resource limiting preview: a body runs only while its node holds a handle of every limiter it names.

#include <oneapi/tbb/flow_graph.h>

#include <array>
#include <atomic>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

namespace flow = tbb::flow;
using headers_only::meter;
using headers_only::metered;
using headers_only::sum_below;
using headers_only::test_error;

using node_type = flow::resource_limited_node<int, std::tuple<int>>;
using ports_type = node_type::output_ports_type;

TEST(resource_limited_node, one_handle_is_a_mutex) {
    flow::graph g;
    long account = 0;
    std::atomic<int> sum{0};
    flow::resource_limiter<long*> limiter{&account};
    const auto body = [](int i, ports_type& ports, long*& handle) {
        *handle += i;
        std::get<0>(ports).try_put(i);
    };
    node_type a(g, flow::unlimited, std::tie(limiter), body);
    node_type b(g, flow::serial, std::tie(limiter), body);
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; });
    flow::make_edge(flow::output_port<0>(a), end);
    flow::make_edge(flow::output_port<0>(b), end);
    for (int i = 0; i < 200; ++i) {
        EXPECT_TRUE(a.try_put(i));
        EXPECT_TRUE(b.try_put(i));
    }
    g.wait_for_all();
    EXPECT_EQ(account, 2 * sum_below(200));
    EXPECT_EQ(sum, 2 * sum_below(200));
}

TEST(resource_limited_node, as_many_at_once_as_there_are_handles) {
    flow::graph g;
    meter m;
    std::vector<int> handles{0, 1, 2};
    std::array<int, 3> uses{};
    flow::resource_limiter<int> limiter(handles.begin(), handles.end());
    node_type node(g, flow::unlimited, std::tie(limiter), [&](int, ports_type&, int& handle) {
        metered inside(m);
        ++uses[static_cast<std::size_t>(handle)];
    });
    for (int i = 0; i < 300; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(uses[0] + uses[1] + uses[2], 300);
    EXPECT_LE(m.peak(), 3);
}

// Two limiters, asked for in both orders: nobody waits for ever.
TEST(resource_limited_node, two_limiters_do_not_lock_up) {
    flow::graph g;
    int fork = 0;
    int knife = 0;
    flow::resource_limiter<int*> forks{&fork};
    flow::resource_limiter<int*> knives{&knife};
    const auto both = [](int, ports_type&, int*& x, int*& y) {
        ++*x;
        ++*y;
    };
    node_type a(g, flow::unlimited, std::tie(forks, knives), both);
    node_type b(g, 2, std::tie(knives, forks), both);
    node_type c(g, flow::serial, std::tie(forks), [](int, ports_type&, int*& x) { ++*x; });
    for (int i = 0; i < 100; ++i) {
        a.try_put(i);
        b.try_put(i);
        c.try_put(i);
    }
    g.wait_for_all();
    EXPECT_EQ(fork, 300);
    EXPECT_EQ(knife, 200);
}

TEST(resource_limited_node, concurrency_limit_holds_too) {
    flow::graph g;
    meter m;
    flow::resource_limiter<int> limiter{1, 2, 3, 4};
    node_type node(g, 2, std::tie(limiter), [&](int, ports_type&, int&) { metered inside(m); });
    for (int i = 0; i < 200; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(m.entries(), 200);
    EXPECT_LE(m.peak(), 2);
}

TEST(resource_limited_node, handles_are_made_in_place_and_moved_only) {
    struct handle {
        handle(int a, int b) : sum_(a + b) {}
        handle(handle&&) = default;
        handle& operator=(handle&&) = default;
        int sum_;
    };
    flow::graph g;
    std::atomic<int> sum{0};
    flow::resource_limiter<handle> limiter(std::piecewise_construct, std::make_tuple(1, 2),
                                           std::make_tuple(0, 3));
    node_type node(g, flow::unlimited, std::tie(limiter),
                   [&](int, ports_type&, handle& h) { sum += h.sum_; });
    node_type copy(node);
    for (int i = 0; i < 50; ++i) {
        node.try_put(i);
        copy.try_put(i);
    }
    g.wait_for_all();
    EXPECT_EQ(sum, 300);
}

TEST(resource_limited_node, handles_come_back_after_an_exception) {
    flow::graph g;
    std::atomic<int> ran{0};
    flow::resource_limiter<int> limiter{1};
    node_type node(g, flow::serial, std::tie(limiter), [&](int i, ports_type&, int&) {
        if (i < 0)
            throw test_error(i);
        ++ran;
    });
    node.try_put(-1);
    EXPECT_THROW(g.wait_for_all(), test_error);
    EXPECT_TRUE(g.exception_thrown());
    g.reset();
    for (int i = 0; i < 20; ++i)
        node.try_put(i);
    g.wait_for_all();
    EXPECT_EQ(ran, 20);
}

}  // namespace
