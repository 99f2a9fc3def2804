// The ranges by themselves: what a split leaves and what it takes, in one to N dimensions.

#include "unit/api_support.h"

#include <limits>

namespace {

using bough::blocked_range;
using bough::proportional_split;
using bough::split;

TEST(api_blocked_range, says_what_it_was_made_of) {
    const blocked_range<int> r(-5, 12, 3);
    EXPECT_EQ(r.begin(), -5);
    EXPECT_EQ(r.end(), 12);
    EXPECT_EQ(r.size(), 17u);
    EXPECT_EQ(r.grainsize(), 3u);
    EXPECT_FALSE(r.empty());
    EXPECT_TRUE(r.is_divisible());
    EXPECT_EQ(blocked_range<int>(0, 4).grainsize(), 1u);
}

TEST(api_blocked_range, is_empty_when_the_end_is_not_behind_the_begin) {
    EXPECT_TRUE(blocked_range<int>(3, 3).empty());
    EXPECT_FALSE(blocked_range<int>(3, 3).is_divisible());
    EXPECT_TRUE(blocked_range<int>(3, 2).empty());
    EXPECT_FALSE(blocked_range<int>(3, 4).empty());
}

TEST(api_blocked_range, is_divisible_only_above_its_grain) {
    EXPECT_FALSE(blocked_range<int>(0, 10, 10).is_divisible());
    EXPECT_TRUE(blocked_range<int>(0, 11, 10).is_divisible());
    EXPECT_FALSE(blocked_range<int>(0, 1).is_divisible());
    EXPECT_TRUE(blocked_range<int>(0, 2).is_divisible());
}

TEST(api_blocked_range, a_split_takes_the_back_half) {
    for (int size = 2; size < 200; ++size) {
        blocked_range<int> left(100, 100 + size, 1);
        const blocked_range<int> right(left, split());
        EXPECT_EQ(left.begin(), 100);
        EXPECT_EQ(left.end(), right.begin());
        EXPECT_EQ(right.end(), 100 + size);
        EXPECT_FALSE(left.empty());
        EXPECT_FALSE(right.empty());
        EXPECT_LE(left.size() > right.size() ? left.size() - right.size() : right.size() - left.size(), 1u);
        EXPECT_EQ(right.grainsize(), 1u);
    }
}

TEST(api_blocked_range, a_proportional_split_keeps_its_proportion) {
    for (std::size_t l = 1; l < 20; ++l) {
        for (std::size_t r = 1; r < 20; ++r) {
            blocked_range<std::size_t> left(0, 100000);
            proportional_split p(l, r);
            const blocked_range<std::size_t> right(left, p);
            EXPECT_EQ(left.end(), right.begin());
            EXPECT_EQ(right.end(), 100000u);
            const double wanted = 100000.0 * static_cast<double>(r) / static_cast<double>(l + r);
            EXPECT_NEAR(static_cast<double>(right.size()), wanted, 1.0) << l << ":" << r;
        }
    }
}

TEST(api_blocked_range, a_lopsided_proportional_split_leaves_nobody_with_nothing) {
    for (std::size_t size = 2; size < 10; ++size) {
        for (const auto& [l, r] : {std::pair<std::size_t, std::size_t>{1, 1000}, {1000, 1}}) {
            blocked_range<std::size_t> left(0, size);
            proportional_split p(l, r);
            const blocked_range<std::size_t> right(left, p);
            EXPECT_GE(left.size(), 1u);
            EXPECT_GE(right.size(), 1u);
            EXPECT_EQ(left.size() + right.size(), size);
            EXPECT_EQ(left.end(), right.begin());
        }
    }
}

TEST(api_blocked_range, splits_exactly_far_above_32_bits) {
    const std::uint64_t end = std::uint64_t{1} << 62;
    blocked_range<std::uint64_t> left(5, end, 1000);
    const blocked_range<std::uint64_t> right(left, split());
    EXPECT_EQ(left.begin(), 5u);
    EXPECT_EQ(right.end(), end);
    EXPECT_EQ(left.end(), right.begin());
    EXPECT_EQ(left.size() + right.size(), end - 5);
    EXPECT_NEAR(static_cast<double>(left.size()), static_cast<double>(right.size()), 2.0);
}

TEST(api_blocked_range, works_on_pointers_and_iterators) {
    std::vector<int> data(11);
    blocked_range<int*> pointers(data.data(), data.data() + data.size(), 2);
    EXPECT_EQ(pointers.size(), 11u);
    const blocked_range<int*> back(pointers, split());
    EXPECT_EQ(pointers.end(), back.begin());
    blocked_range<std::vector<int>::iterator> iterators(data.begin(), data.end());
    const blocked_range<std::vector<int>::iterator> rest(iterators, split());
    EXPECT_EQ(iterators.begin(), data.begin());
    EXPECT_EQ(iterators.end(), rest.begin());
    EXPECT_EQ(rest.end(), data.end());
}

// A blocked_range<int> may span more than an int holds: its size is a size_t.
TEST(api_blocked_range, of_int_may_be_wider_than_int) {
    constexpr int low = std::numeric_limits<int>::min() + 7, high = std::numeric_limits<int>::max() - 7;
    blocked_range<int> left(low, high, 1000);
    EXPECT_EQ(left.size(), 4294967281u);
    const blocked_range<int> right(left, split());
    EXPECT_EQ(left.begin(), low);
    EXPECT_EQ(right.end(), high);
    EXPECT_EQ(left.end(), right.begin());
    EXPECT_EQ(left.size() + right.size(), 4294967281u);
}

TEST(api_blocked_range2d, splits_the_dimension_with_more_grains) {
    bough::blocked_range2d<int> wide(0, 10, 5, 0, 100, 5);
    const bough::blocked_range2d<int> right(wide, split());
    EXPECT_EQ(wide.rows().size(), 10u);
    EXPECT_EQ(right.rows().size(), 10u);
    EXPECT_EQ(wide.cols().end(), right.cols().begin());
    EXPECT_EQ(wide.cols().size(), 50u);

    bough::blocked_range2d<int> coarse(0, 10, 1, 0, 100, 50);
    const bough::blocked_range2d<int> below(coarse, split());
    EXPECT_EQ(coarse.cols().size(), 100u);
    EXPECT_EQ(coarse.rows().end(), below.rows().begin());
    EXPECT_EQ(below.rows().end(), 10);
}

TEST(api_blocked_range2d, is_empty_and_divisible_by_its_dimensions) {
    EXPECT_TRUE((bough::blocked_range2d<int>(0, 0, 0, 5).empty()));
    EXPECT_TRUE((bough::blocked_range2d<int>(0, 5, 3, 3).empty()));
    EXPECT_FALSE((bough::blocked_range2d<int>(0, 1, 0, 1).is_divisible()));
    EXPECT_TRUE((bough::blocked_range2d<int>(0, 1, 0, 2).is_divisible()));
    EXPECT_FALSE((bough::blocked_range2d<int>(0, 4, 4, 0, 8, 8).is_divisible()));
}

TEST(api_blocked_range2d, has_two_value_types) {
    std::vector<int> columns(9);
    const bough::blocked_range2d<unsigned, int*> r(2u, 4u, columns.data(), columns.data() + 9);
    EXPECT_EQ(r.rows().begin(), 2u);
    EXPECT_EQ(r.cols().size(), 9u);
}

TEST(api_blocked_range3d, splits_the_dimension_with_most_grains) {
    bough::blocked_range3d<int> r(0, 64, 1, 0, 8, 1, 0, 8, 1);
    const bough::blocked_range3d<int> pages(r, split());
    EXPECT_EQ(r.pages().size(), 32u);
    EXPECT_EQ(pages.pages().begin(), 32);
    bough::blocked_range3d<int> c(0, 4, 0, 4, 0, 5);
    const bough::blocked_range3d<int> cols(c, split());
    EXPECT_EQ(c.cols().end(), cols.cols().begin());
    EXPECT_EQ(cols.pages().size(), 4u);
    EXPECT_EQ(cols.rows().size(), 4u);
    EXPECT_TRUE((bough::blocked_range3d<int>(0, 4, 2, 2, 0, 5).empty()));
}

TEST(api_blocked_rangeNd, splits_its_widest_dimension) {
    using line = blocked_range<int>;
    bough::blocked_rangeNd<int, 4> r(line(0, 3), line(0, 9), line(0, 4), line(0, 5));
    EXPECT_EQ((bough::blocked_rangeNd<int, 4>::ndims()), 4u);
    const bough::blocked_rangeNd<int, 4> right(r, split());
    EXPECT_EQ(r.dim(1).end(), right.dim(1).begin());
    EXPECT_EQ(right.dim(1).end(), 9);
    for (unsigned d : {0u, 2u, 3u})
        EXPECT_EQ(r.dim(d).size(), right.dim(d).size());
    EXPECT_TRUE((bough::blocked_rangeNd<int, 2>(line(0, 3), line(2, 2)).empty()));
    EXPECT_FALSE((bough::blocked_rangeNd<int, 2>(line(0, 3, 3), line(0, 2, 2)).is_divisible()));
}

TEST(api_proportional_split, holds_its_parts) {
    const proportional_split p(3, 5);
    EXPECT_EQ(p.left(), 3u);
    EXPECT_EQ(p.right(), 5u);
}

}  // namespace
