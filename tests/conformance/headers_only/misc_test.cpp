// Small parts: tick_count, the ranges' compile-time face and their splitting, the assertion handler, the names that
// profilers see, the version.

#include <oneapi/tbb/blocked_nd_range.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/profiling.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <oneapi/tbb/tick_count.h>
#include <oneapi/tbb/version.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

TEST(tick_count, goes_forward) {
    const auto before = tbb::tick_count::now();
    auto last = before;
    for (int i = 0; i < 1000; ++i) {
        const auto now = tbb::tick_count::now();
        EXPECT_GE((now - last).seconds(), 0.0);
        last = now;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_GE((tbb::tick_count::now() - before).seconds(), 0.002);
    EXPECT_GT(tbb::tick_count::resolution(), 0.0);
    EXPECT_LE(tbb::tick_count::resolution(), 0.001);
}

TEST(tick_count, intervals_are_numbers) {
    using interval = tbb::tick_count::interval_t;
    EXPECT_EQ(interval().seconds(), 0.0);
    const interval two(2.0);
    const interval half(0.5);
    EXPECT_DOUBLE_EQ((two + half).seconds(), 2.5);
    EXPECT_DOUBLE_EQ((two - half).seconds(), 1.5);
    interval sum = two;
    sum += half;
    sum -= interval(1.0);
    EXPECT_DOUBLE_EQ(sum.seconds(), 1.5);
}

template <class Range>
constexpr bool is_range = std::is_copy_constructible_v<Range> && std::is_destructible_v<Range> &&
                          std::is_constructible_v<Range, Range&, tbb::split> &&
                          std::is_constructible_v<Range, Range&, tbb::proportional_split&>;

using nd_range = tbb::blocked_nd_range<int, 4>;
static_assert(is_range<tbb::blocked_range<int>> && is_range<tbb::blocked_range<const char*>>);
static_assert(is_range<tbb::blocked_range2d<int>> && is_range<tbb::blocked_range2d<int, long>>);
static_assert(is_range<tbb::blocked_range3d<int>> && is_range<nd_range>);
static_assert(std::is_same_v<tbb::blocked_range<int>::const_iterator, int>);
static_assert(std::is_same_v<tbb::blocked_range2d<int, long>::col_range_type, tbb::blocked_range<long>>);
static_assert(std::is_same_v<tbb::blocked_range3d<int>::page_range_type, tbb::blocked_range<int>>);
static_assert(nd_range::dim_count() == 4);
static_assert(
    std::is_same_v<decltype(tbb::blocked_nd_range({1, 2}, {3, 4, 5})), tbb::blocked_nd_range<int, 2>>);

TEST(blocked_range, splits) {
    tbb::blocked_range<int> range(0, 100, 10);
    EXPECT_TRUE(range.is_divisible());
    EXPECT_FALSE(range.empty());
    tbb::blocked_range<int> right(range, tbb::split());
    EXPECT_EQ(range.end(), right.begin());
    EXPECT_EQ(range.size() + right.size(), 100u);
    EXPECT_EQ(range.size(), 50u);
    tbb::blocked_range<int> whole(0, 90);
    tbb::proportional_split two_to_one(2, 1);
    tbb::blocked_range<int> third(whole, two_to_one);
    EXPECT_EQ(whole.size(), 60u);
    EXPECT_EQ(third.size(), 30u);
    tbb::blocked_range<int> small(0, 10, 10);
    EXPECT_FALSE(small.is_divisible());
    EXPECT_TRUE(tbb::blocked_range<int>(5, 5).empty());
}

TEST(blocked_range, more_dimensions) {
    tbb::blocked_range2d<int> plane(0, 40, 4, 0, 10, 4);
    tbb::blocked_range2d<int> half(plane, tbb::split());
    EXPECT_EQ(plane.rows().size(), 20u);
    EXPECT_EQ(half.cols().size(), 10u);
    std::vector<std::atomic<int>> hits(5 * 6 * 7 * 8);
    tbb::parallel_for(nd_range({0, 5}, {0, 6}, {0, 7}, {0, 8, 3}), [&](const nd_range& r) {
        for (int a : {0, 1, 2, 3, 4})
            for (int b = r.dim(1).begin(); b != r.dim(1).end(); ++b)
                for (int c = r.dim(2).begin(); c != r.dim(2).end(); ++c)
                    for (int d = r.dim(3).begin(); d != r.dim(3).end(); ++d)
                        if (a >= r.dim(0).begin() && a < r.dim(0).end())
                            ++hits[static_cast<std::size_t>(((a * 6 + b) * 7 + c) * 8 + d)];
    });
    tbb::blocked_range3d<int> box(0, 5, 0, 6, 0, 56);
    tbb::parallel_for(box, [&](const tbb::blocked_range3d<int>& r) {
        for (int a = r.pages().begin(); a != r.pages().end(); ++a)
            for (int b = r.rows().begin(); b != r.rows().end(); ++b)
                for (int c = r.cols().begin(); c != r.cols().end(); ++c)
                    ++hits[static_cast<std::size_t>((a * 6 + b) * 56 + c)];
    });
    for (auto& hit : hits)
        ASSERT_EQ(hit, 2);
}

// ---- assertions -------------------------------------------------------------------------------------------------

void exit_with_42(const char* location, int line, const char* expression, const char* comment) {
    const bool complete =
        location && line > 0 && expression && std::strstr(comment, "max_allowed_parallelism");
    std::_Exit(complete ? 42 : 43);
}

void fail_an_assertion() {
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::size_t{0});
}

TEST(assertion_handler, is_set_and_returned) {
    const auto standard = tbb::get_assertion_handler();
    EXPECT_EQ(tbb::set_assertion_handler(exit_with_42), standard);
    EXPECT_EQ(tbb::get_assertion_handler(), &exit_with_42);
    EXPECT_EQ(tbb::set_assertion_handler(nullptr), &exit_with_42);
    EXPECT_EQ(tbb::get_assertion_handler(), standard) << "nullptr means the first one";
}

TEST(assertion_handler_death_test, is_called) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto fails_with_handler = [] {
        tbb::set_assertion_handler(exit_with_42);
        fail_an_assertion();
    };
    EXPECT_EXIT(fails_with_handler(), testing::ExitedWithCode(42), "");
    EXPECT_DEATH(fail_an_assertion(), "max_allowed_parallelism cannot be 0");
}

// ---- profilers' names -------------------------------------------------------------------------------------------

TEST(profiling, names_change_nothing) {
    tbb::spin_mutex spin;
    tbb::spin_rw_mutex spin_rw;
    tbb::queuing_mutex queuing;
    tbb::queuing_rw_mutex queuing_rw;
    tbb::profiling::set_name(spin, "spin");
    tbb::profiling::set_name(spin_rw, "spin_rw");
    tbb::profiling::set_name(queuing, "queuing");
    tbb::profiling::set_name(queuing_rw, "queuing_rw");
    tbb::profiling::event event("event");
    event.emit();
    tbb::profiling::event::emit("another");

    namespace flow = tbb::flow;
    flow::graph g;
    std::atomic<int> sum{0};
    flow::broadcast_node<int> start(g);
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; });
    flow::make_edge(start, end);
    tbb::profiling::set_name(g, "graph");
    tbb::profiling::set_name(start, "start");
    tbb::profiling::set_name(end, "end");
    start.try_put(3);
    g.wait_for_all();
    tbb::queuing_mutex::scoped_lock lock(queuing);
    EXPECT_EQ(sum, 3);
}

TEST(version, the_runtime_is_not_older_than_the_headers) {
    EXPECT_GE(TBB_runtime_interface_version(), TBB_INTERFACE_VERSION);
    EXPECT_NE(std::atoi(TBB_runtime_version()), 0);
}

}  // namespace
