// tbb::parallel_for through the compat tree: every form, the engine that ran it, and oneTBB's contracts.

#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "engine_count.h"

namespace {

// Every index once, and by bough alone.
template <class Run>
void expect_each_once(std::size_t size, Run&& run) {
    std::vector<std::atomic<int>> hits(size);
    const engine_count::snapshot before;
    run(hits);
    EXPECT_TRUE(before.only_bough());
    for (std::size_t i = 0; i < size; ++i)
        ASSERT_EQ(hits[i], 1) << "index " << i;
}

template <class Partitioner>
void expect_all_forms(Partitioner&& p) {
    using range = tbb::blocked_range<std::size_t>;
    expect_each_once(1000, [&](auto& hits) {
        const auto body = [&](range& r) {
            for (auto i = r.begin(); i != r.end(); ++i)
                ++hits[i];
        };
        tbb::parallel_for(range(0, 1000, 7), body, p);
    });
    expect_each_once(1000, [&](auto& hits) {
        tbb::parallel_for(std::size_t{0}, std::size_t{1000}, [&](std::size_t i) { ++hits[i]; }, p);
    });
    expect_each_once(1000, [&](auto& hits) {
        const auto f = [&](int i) { ++hits[static_cast<std::size_t>(i / 3)]; };
        tbb::parallel_for(0, 2998, 3, f, p);
    });
    expect_each_once(30 * 40, [&](auto& hits) {
        const auto body = [&](const tbb::blocked_range2d<std::size_t>& r) {
            for (auto i = r.rows().begin(); i != r.rows().end(); ++i)
                for (auto j = r.cols().begin(); j != r.cols().end(); ++j)
                    ++hits[i * 40 + j];
        };
        tbb::parallel_for(tbb::blocked_range2d<std::size_t>(0, 30, 4, 0, 40, 4), body, p);
    });
}

TEST(parallel_for, all_forms_with_every_partitioner) {
    expect_all_forms(tbb::auto_partitioner());
    expect_all_forms(tbb::simple_partitioner());
    expect_all_forms(tbb::static_partitioner());
    tbb::affinity_partitioner affinity;
    for (int i = 0; i < 3; ++i)
        expect_all_forms(affinity);
}

TEST(parallel_for, default_partitioner_and_iterators) {
    std::vector<int> values(1000, 1);
    using range = tbb::blocked_range<std::vector<int>::iterator>;
    parallel_for(range(values.begin(), values.end()), [](const range& r) {  // found by its argument
        for (int& v : r)
            v *= 2;
    });
    EXPECT_EQ(values, std::vector<int>(1000, 2));
}

TEST(parallel_for, empty_and_extreme_indices) {
    std::atomic<int> calls{0};
    const auto count = [&](auto) { ++calls; };
    tbb::parallel_for(5, 5, count);
    tbb::parallel_for(6, 5, count);
    tbb::parallel_for(tbb::blocked_range<int>(3, 3), count);
    EXPECT_EQ(calls, 0);
    constexpr auto low = std::numeric_limits<std::int64_t>::min(),
                   high = std::numeric_limits<std::int64_t>::max();
    tbb::parallel_for(low, high, high, count);
    EXPECT_EQ(calls, 3);
    tbb::parallel_for(static_cast<unsigned char>(0), static_cast<unsigned char>(255), count);
    EXPECT_EQ(calls, 258);
}

TEST(parallel_for, step_must_be_positive) {
    EXPECT_THROW(tbb::parallel_for(0, 10, 0, [](int) {}), std::invalid_argument);
    EXPECT_THROW(tbb::parallel_for(0, 10, -1, [](int) {}), std::invalid_argument);
}

TEST(parallel_for, exception_reaches_the_caller_and_the_pool_lives_on) {
    for (int round = 0; round < 20; ++round) {
        const auto body = [](int i) {
            if (i == 37)
                throw std::runtime_error("37");
        };
        EXPECT_THROW(tbb::parallel_for(0, 1000, body), std::runtime_error);
    }
    expect_all_forms(tbb::auto_partitioner());
}

TEST(parallel_for, nested) {
    std::atomic<long> sum{0};
    tbb::parallel_for(0, 50, [&](int i) { tbb::parallel_for(0, 50, [&](int j) { sum += i * j; }); });
    EXPECT_EQ(sum, 1225L * 1225L);
}

TEST(parallel_for, simple_partitioner_cuts_to_the_grain) {
    std::mutex mutex;
    std::vector<std::size_t> sizes;
    const tbb::blocked_range<int> whole(0, 10000, 64);
    const auto body = [&](const tbb::blocked_range<int>& r) {
        const std::lock_guard lock(mutex);
        sizes.push_back(r.size());
        EXPECT_EQ(r.grainsize(), 64u);
    };
    tbb::parallel_for(whole, body, tbb::simple_partitioner());
    for (const auto size : sizes) {
        EXPECT_LE(size, 64u);
        EXPECT_GE(size, 32u);
    }
}

TEST(parallel_for, static_partitioner_gives_each_thread_one_piece) {
    std::atomic<unsigned> pieces{0};
    tbb::parallel_for(tbb::blocked_range<int>(0, 10000), [&](auto&) { ++pieces; }, tbb::static_partitioner());
    EXPECT_GE(pieces, 1u);
    EXPECT_LE(pieces, bough::detail::concurrency());
}

// A range that marks its parts as it is split: splitting it twice would be seen.
struct tickets {
    std::atomic<int>* splits;
    int begin, end;
    tickets(std::atomic<int>& s, int b, int e) : splits(&s), begin(b), end(e) {}
    tickets(tickets& r, tbb::split) : splits(r.splits), begin(r.begin + (r.end - r.begin) / 2), end(r.end) {
        r.end = begin;
        ++*splits;
    }
    bool empty() const { return begin >= end; }
    bool is_divisible() const { return end - begin > 1; }
};

TEST(parallel_for, user_written_range_is_split_once) {
    std::atomic<int> splits{0}, calls{0};
    const auto body = [&](tickets& r) { calls += r.end - r.begin; };
    const engine_count::snapshot before;
    tbb::parallel_for(tickets(splits, 0, 1000), body, tbb::simple_partitioner());
    EXPECT_TRUE(before.only_bough());
    EXPECT_EQ(splits, 999);
    EXPECT_EQ(calls, 1000);
    tbb::parallel_for(tickets(splits, 0, 1000), body);
    EXPECT_EQ(calls, 2000);
}

TEST(parallel_for, context_forms_stay_with_onetbb) {
    std::atomic<int> calls{0};
    tbb::task_group_context context;
    const auto count = [&](auto&&) { ++calls; };
    engine_count::snapshot before;
    tbb::parallel_for(0, 10, count, context);
    tbb::parallel_for(0, 10, 2, count, tbb::simple_partitioner(), context);
    tbb::parallel_for(tbb::blocked_range<int>(0, 10), count, tbb::simple_partitioner(), context);
    EXPECT_TRUE(before.only_onetbb());
    EXPECT_EQ(calls, 25);

    const auto cancel = [&](int) { context.cancel_group_execution(); };
    tbb::parallel_for(0, 1000000, cancel, context);
    EXPECT_TRUE(context.is_group_execution_cancelled());
    tbb::parallel_for(0, 10, count, context);
    EXPECT_EQ(calls, 25);
}

}  // namespace
