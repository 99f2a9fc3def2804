// bough's morsel_partitioner in recompiled tbb:: algorithms.

#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bough/morsel.h>
#include <gtest/gtest.h>

namespace {

const bough::morsel_partitioner morsels(8, 512);  // 64 indices

TEST(morsels, a_loop_and_an_index_loop) {
    std::vector<int> seen(1000);
    std::atomic<int> calls{0}, other{0};
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(3, 1000),
        [&](const tbb::blocked_range<std::size_t>& r) {
            ++calls;
            other += r.begin() != 3 && r.begin() % 64 != 0;
            for (std::size_t i = r.begin(); i < r.end(); ++i)
                ++seen[i];
        },
        morsels);
    EXPECT_EQ(calls, 16);
    EXPECT_EQ(other, 0);
    tbb::parallel_for(std::size_t{0}, seen.size(), [&](std::size_t i) { ++seen[i]; }, morsels);
    for (std::size_t i = 0; i < seen.size(); ++i)
        ASSERT_EQ(seen[i], i < 3 ? 1 : 2) << i;
}

TEST(morsels, two_and_three_dimensions) {
    std::atomic<int> rows{0}, cells{0}, calls{0};
    tbb::parallel_for(
        tbb::blocked_range2d<int>(0, 40, 0, 16),
        [&](const tbb::blocked_range2d<int>& r) {
            ++calls;
            rows += static_cast<int>(r.rows().size());
            cells += static_cast<int>(r.rows().size() * r.cols().size());
        },
        morsels);
    EXPECT_EQ(calls, 10) << "four rows each";
    EXPECT_EQ(rows, 40);
    EXPECT_EQ(cells, 40 * 16);
    cells = calls = 0;
    tbb::parallel_for(
        tbb::blocked_range3d<int>(0, 6, 0, 4, 0, 8),
        [&](const tbb::blocked_range3d<int>& r) {
            ++calls;
            cells += static_cast<int>(r.pages().size() * r.rows().size() * r.cols().size());
        },
        morsels);
    EXPECT_EQ(calls, 3) << "two pages each";
    EXPECT_EQ(cells, 6 * 4 * 8);
}

TEST(morsels, reductions_and_scans) {
    constexpr std::int64_t n = 5000;
    const auto add = [](std::int64_t a, std::int64_t b) { return a + b; };
    // Of a scan as well, which says in addition whether it is the final one.
    const auto sum_of = [](const tbb::blocked_range<std::int64_t>& r, std::int64_t sum, auto...) {
        EXPECT_LE(r.size(), 64u);
        for (std::int64_t i = r.begin(); i < r.end(); ++i)
            sum += i;
        return sum;
    };
    EXPECT_EQ(
        tbb::parallel_reduce(tbb::blocked_range<std::int64_t>(0, n), std::int64_t{0}, sum_of, add, morsels),
        n * (n - 1) / 2);
    EXPECT_EQ(
        tbb::parallel_scan(tbb::blocked_range<std::int64_t>(0, n), std::int64_t{0}, sum_of, add, morsels),
        n * (n - 1) / 2);
}

}  // namespace
