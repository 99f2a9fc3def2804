// blocked_range, 2d, 3d and nd: what they say of themselves, how they split, and loops over them.
#include "support.h"

#include <oneapi/tbb/blocked_nd_range.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include <oneapi/tbb/parallel_for.h>

#include <type_traits>

using namespace conformance;

namespace {

TEST(blocked_range, says_what_it_is) {
    const tbb::blocked_range<int> r(3, 10), grained(3, 10, 4), empty(5, 5);
    static_assert(std::is_same_v<decltype(r)::const_iterator, int> &&
                  std::is_same_v<decltype(r)::size_type, std::size_t>);
    EXPECT_EQ(r.begin(), 3);
    EXPECT_EQ(r.end(), 10);
    EXPECT_EQ(r.size(), 7u);
    EXPECT_EQ(r.grainsize(), 1u);
    EXPECT_EQ(grained.grainsize(), 4u);
    EXPECT_FALSE(r.empty());
    EXPECT_TRUE(empty.empty());
    EXPECT_FALSE(empty.is_divisible());
    EXPECT_TRUE(r.is_divisible());
    EXPECT_TRUE(grained.is_divisible());
    EXPECT_FALSE(tbb::blocked_range<int>(0, 4, 4).is_divisible());
    EXPECT_TRUE(tbb::blocked_range<int>(0, 5, 4).is_divisible());
}

TEST(blocked_range, splits_in_halves) {
    for (int size = 2; size < 50; ++size) {
        tbb::blocked_range<int> left(10, 10 + size, 1);
        const tbb::blocked_range<int> right(left, tbb::split());
        EXPECT_EQ(left.begin(), 10);
        EXPECT_EQ(left.end(), right.begin());
        EXPECT_EQ(right.end(), 10 + size);
        EXPECT_LE(left.size() > right.size() ? left.size() - right.size() : right.size() - left.size(), 1u);
        EXPECT_EQ(right.grainsize(), 1u);
    }
}

TEST(blocked_range, splits_in_proportion) {
    for (std::size_t l : {1u, 2u, 3u, 7u}) {
        for (std::size_t r : {1u, 2u, 5u}) {
            tbb::blocked_range<int> left(0, 1000);
            tbb::proportional_split proportion(l, r);
            const tbb::blocked_range<int> right(left, proportion);
            EXPECT_EQ(left.end(), right.begin());
            EXPECT_EQ(right.end(), 1000);
            EXPECT_NEAR(double(right.size()), 1000.0 * double(r) / double(l + r), 1.0);
        }
    }
}

// The least that a value needs.
struct value {
    explicit value(int n) : number(n) {}
    int number;
};
bool operator<(const value& a, const value& b) {
    return a.number < b.number;
}
std::size_t operator-(const value& a, const value& b) {
    return std::size_t(a.number - b.number);
}
value operator+(const value& a, std::size_t n) {
    return value(a.number + int(n));
}

TEST(blocked_range, of_values_that_are_no_numbers) {
    for_widths([] {
        visits seen(300);
        tbb::parallel_for(tbb::blocked_range<value>(value(0), value(300)),
                          [&](const tbb::blocked_range<value>& r) {
                              for (int i = r.begin().number; i < r.end().number; ++i)
                                  seen.add(std::size_t(i));
                          });
        EXPECT_TRUE(seen.each_once());
    });
}

TEST(blocked_range2d, says_what_it_is) {
    const tbb::blocked_range2d<int> r(0, 20, 4, 5, 11, 2), plain(0, 2, 0, 1), empty(0, 0, 0, 5);
    EXPECT_EQ(r.rows().begin(), 0);
    EXPECT_EQ(r.rows().end(), 20);
    EXPECT_EQ(r.rows().grainsize(), 4u);
    EXPECT_EQ(r.cols().begin(), 5);
    EXPECT_EQ(r.cols().end(), 11);
    EXPECT_EQ(r.cols().grainsize(), 2u);
    EXPECT_FALSE(r.empty());
    EXPECT_TRUE(r.is_divisible());
    EXPECT_TRUE(empty.empty());
    EXPECT_TRUE(plain.is_divisible());
    EXPECT_FALSE((tbb::blocked_range2d<int>(0, 4, 4, 0, 2, 2).is_divisible()));
    const tbb::blocked_range2d<int, long> mixed(0, 2, 0L, 3L);
    EXPECT_EQ(mixed.cols().size(), 3u);
}

TEST(blocked_range2d, splits_where_it_is_longest_for_its_grain) {
    tbb::blocked_range2d<int> rows(0, 100, 1, 0, 50, 1);
    const tbb::blocked_range2d<int> lower(rows, tbb::split());
    EXPECT_EQ(rows.rows().size(), 50u);
    EXPECT_EQ(lower.rows().begin(), 50);
    EXPECT_EQ(lower.cols().size(), 50u);
    tbb::blocked_range2d<int> cols(0, 100, 50, 0, 50, 1);
    const tbb::blocked_range2d<int> right(cols, tbb::split());
    EXPECT_EQ(cols.cols().size(), 25u);
    EXPECT_EQ(right.cols().begin(), 25);
    EXPECT_EQ(right.rows().size(), 100u);
    tbb::blocked_range2d<int> third(0, 90, 0, 10);
    tbb::proportional_split proportion(2, 1);
    const tbb::blocked_range2d<int> rest(third, proportion);
    EXPECT_EQ(third.rows().size(), 60u);
    EXPECT_EQ(rest.rows().size(), 30u);
}

TEST(blocked_range2d, loops) {
    for_widths([] {
        for_each_loop_tail([](auto&&... tail) {
            visits seen(30 * 20);
            tbb::parallel_for(
                tbb::blocked_range2d<int>(0, 30, 0, 20),
                [&](const tbb::blocked_range2d<int>& r) {
                    for (int i = r.rows().begin(); i != r.rows().end(); ++i) {
                        for (int j = r.cols().begin(); j != r.cols().end(); ++j)
                            seen.add(std::size_t(i * 20 + j));
                    }
                },
                tail...);
            EXPECT_TRUE(seen.each_once());
        });
        tbb::parallel_for(tbb::blocked_range2d<int>(0, 30, 5, 5),
                          [](const auto& r) { EXPECT_TRUE(r.empty()); });
    });
}

TEST(blocked_range3d, says_what_it_is_and_splits) {
    tbb::blocked_range3d<int> r(0, 8, 1, 0, 4, 1, 0, 100, 5);
    EXPECT_EQ(r.pages().size(), 8u);
    EXPECT_EQ(r.rows().size(), 4u);
    EXPECT_EQ(r.cols().size(), 100u);
    EXPECT_EQ(r.cols().grainsize(), 5u);
    EXPECT_TRUE(r.is_divisible());
    EXPECT_FALSE(r.empty());
    const tbb::blocked_range3d<int> right(r, tbb::split());
    EXPECT_EQ(r.cols().size(), 50u);
    EXPECT_EQ(right.cols().begin(), 50);
    EXPECT_EQ(right.pages().size(), 8u);
    EXPECT_TRUE((tbb::blocked_range3d<int>(0, 1, 0, 0, 0, 1).empty()));
    EXPECT_FALSE((tbb::blocked_range3d<int>(0, 1, 0, 1, 0, 1).is_divisible()));
}

TEST(blocked_range3d, loops) {
    for_widths([] {
        for_each_loop_tail([](auto&&... tail) {
            visits seen(10 * 9 * 8);
            tbb::parallel_for(
                tbb::blocked_range3d<int>(0, 10, 0, 9, 0, 8),
                [&](const tbb::blocked_range3d<int>& r) {
                    for (int p = r.pages().begin(); p != r.pages().end(); ++p) {
                        for (int i = r.rows().begin(); i != r.rows().end(); ++i) {
                            for (int j = r.cols().begin(); j != r.cols().end(); ++j)
                                seen.add(std::size_t((p * 9 + i) * 8 + j));
                        }
                    }
                },
                tail...);
            EXPECT_TRUE(seen.each_once());
        });
    });
}

TEST(blocked_nd_range, says_what_it_is_and_splits) {
    tbb::blocked_nd_range<int, 4> r({0, 2}, {0, 64, 2}, {0, 3}, {5, 9});
    static_assert(decltype(r)::dim_count() == 4);
    static_assert(std::is_same_v<decltype(r)::dim_range_type, tbb::blocked_range<int>>);
    EXPECT_EQ(r.dim(1).grainsize(), 2u);
    EXPECT_EQ(r.dim(3).begin(), 5);
    EXPECT_TRUE(r.is_divisible());
    EXPECT_FALSE(r.empty());
    const tbb::blocked_nd_range<int, 4> right(r, tbb::split());
    EXPECT_EQ(r.dim(1).size(), 32u);
    EXPECT_EQ(right.dim(1).begin(), 32);
    EXPECT_EQ(right.dim(0).size(), 2u);
    const int sizes[] = {3, 0, 5};
    const tbb::blocked_nd_range<int, 3> of_sizes(sizes, 2);
    EXPECT_TRUE(of_sizes.empty());
    EXPECT_EQ(of_sizes.dim(2).end(), 5);
    EXPECT_EQ(of_sizes.dim(2).grainsize(), 2u);
}

TEST(blocked_nd_range, types_are_deduced) {
    const tbb::blocked_nd_range pairs({0, 3}, {0, 4, 2});
    static_assert(std::is_same_v<decltype(pairs), const tbb::blocked_nd_range<int, 2>>);
    const tbb::blocked_nd_range ranges(tbb::blocked_range<long>(0, 2), tbb::blocked_range<long>(0, 3));
    static_assert(std::is_same_v<decltype(ranges), const tbb::blocked_nd_range<long, 2>>);
    const int sizes[] = {1, 2, 3};
    const tbb::blocked_nd_range of_sizes(sizes);
    static_assert(std::is_same_v<decltype(of_sizes), const tbb::blocked_nd_range<int, 3>>);
}

TEST(blocked_nd_range, loops) {
    for_widths([] {
        using range = tbb::blocked_nd_range<int, 4>;
        for_each_loop_tail([](auto&&... tail) {
            visits seen(5 * 4 * 3 * 6);
            tbb::parallel_for(
                range({0, 5}, {0, 4}, {0, 3}, {0, 6}),
                [&](const range& r) {
                    for (int a = r.dim(0).begin(); a != r.dim(0).end(); ++a)
                        for (int b = r.dim(1).begin(); b != r.dim(1).end(); ++b)
                            for (int c = r.dim(2).begin(); c != r.dim(2).end(); ++c)
                                for (int d = r.dim(3).begin(); d != r.dim(3).end(); ++d)
                                    seen.add(std::size_t(((a * 4 + b) * 3 + c) * 6 + d));
                },
                tail...);
            EXPECT_TRUE(seen.each_once());
        });
    });
}

}  // namespace
