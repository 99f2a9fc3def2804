// parallel_for over ranges of two, three and N dimensions: every cell once.

#include "unit/api_support.h"

namespace {

using bough_test::visits;

TEST(api_for_2d, every_cell_once) {
    for (const std::size_t rows : {0u, 1u, 2u, 3u, 7u, 64u, 311u}) {
        for (const std::size_t cols : {0u, 1u, 3u, 64u, 200u}) {
            bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
                for (const auto& [row_grain, col_grain] :
                     {std::pair<std::size_t, std::size_t>{1, 1}, {16, 16}, {1, 1000}, {1000, 1}}) {
                    using range = bough::blocked_range2d<std::size_t>;
                    visits seen(rows * cols);
                    bough::parallel_for(
                        range(0, rows, row_grain, 0, cols, col_grain),
                        [&](const range& r) {
                            for (std::size_t i = r.rows().begin(); i < r.rows().end(); ++i)
                                for (std::size_t j = r.cols().begin(); j < r.cols().end(); ++j)
                                    seen.hit(i * cols + j);
                        },
                        partitioner);
                    EXPECT_TRUE(seen.each_once()) << name << " " << rows << "x" << cols;
                }
            });
        }
    }
}

TEST(api_for_2d, simple_partitioner_cuts_both_dimensions_down_to_the_grain) {
    using range = bough::blocked_range2d<int>;
    std::atomic<int> wrong{0}, pieces{0};
    bough::parallel_for(
        range(0, 100, 8, -50, 50, 5),
        [&](const range& r) {
            pieces.fetch_add(1);
            const bool good =
                r.rows().size() <= 8 && r.cols().size() <= 5 && r.rows().size() >= 4 && r.cols().size() >= 3;
            wrong.fetch_add(good ? 0 : 1);
        },
        bough::simple_partitioner{});
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_GE(pieces.load(), 13 * 20);
}

TEST(api_for_2d, an_outer_and_an_inner_loop_over_tiles) {
    using range = bough::blocked_range2d<std::size_t>;
    constexpr std::size_t n = 96;
    visits seen(n * n);
    bough::parallel_for(range(0, n, 32, 0, n, 32), [&](const range& outer) {
        bough::parallel_for(outer, [&](const range& r) {
            for (std::size_t i = r.rows().begin(); i < r.rows().end(); ++i)
                for (std::size_t j = r.cols().begin(); j < r.cols().end(); ++j)
                    seen.hit(i * n + j);
        });
    });
    EXPECT_TRUE(seen.each_once());
}

TEST(api_for_3d, every_cell_once) {
    using range = bough::blocked_range3d<std::size_t>;
    for (const auto& [pages, rows, cols] : {std::array<std::size_t, 3>{0, 5, 5},
                                            {1, 1, 1},
                                            {2, 3, 5},
                                            {20, 30, 40},
                                            {1, 1, 5000},
                                            {300, 1, 3},
                                            {7, 0, 7}}) {
        bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
            visits seen(pages * rows * cols);
            bough::parallel_for(
                range(0, pages, 0, rows, 0, cols),
                [&, rows = rows, cols = cols](const range& r) {
                    for (std::size_t p = r.pages().begin(); p < r.pages().end(); ++p)
                        for (std::size_t i = r.rows().begin(); i < r.rows().end(); ++i)
                            for (std::size_t j = r.cols().begin(); j < r.cols().end(); ++j)
                                seen.hit((p * rows + i) * cols + j);
                },
                partitioner);
            EXPECT_TRUE(seen.each_once()) << name << " " << pages << "x" << rows << "x" << cols;
        });
    }
}

TEST(api_for_nd, every_cell_once) {
    using range = bough::blocked_rangeNd<int, 4>;
    using line = bough::blocked_range<int>;
    bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
        visits seen(6 * 7 * 8 * 9);
        bough::parallel_for(
            range(line(0, 6), line(-3, 4), line(0, 8, 3), line(1, 10)),
            [&](const range& r) {
                for (int a = r.dim(0).begin(); a < r.dim(0).end(); ++a)
                    for (int b = r.dim(1).begin(); b < r.dim(1).end(); ++b)
                        for (int c = r.dim(2).begin(); c < r.dim(2).end(); ++c)
                            for (int d = r.dim(3).begin(); d < r.dim(3).end(); ++d)
                                seen.hit(static_cast<std::size_t>(((a * 7 + b + 3) * 8 + c) * 9 + d - 1));
            },
            partitioner);
        EXPECT_TRUE(seen.each_once()) << name;
    });
}

TEST(api_for_nd, one_dimension_and_an_empty_one) {
    using line = bough::blocked_rangeNd<std::size_t, 1>;
    visits seen(1000);
    bough::parallel_for(line({0, 1000}), [&](const line& r) { seen.hit_range(r.dim(0)); });
    EXPECT_TRUE(seen.each_once());
    using plane = bough::blocked_rangeNd<int, 2>;
    std::atomic<int> calls{0};
    bough::parallel_for(plane(bough::blocked_range<int>(0, 1000), bough::blocked_range<int>(4, 4)),
                        [&](const plane&) { calls.fetch_add(1); });
    EXPECT_EQ(calls.load(), 0);
}

// A cell count over 2^32 in tiles: bodies look at the sizes only.
TEST(api_for_2d, more_cells_than_32_bits_count) {
    using range = bough::blocked_range2d<std::uint64_t>;
    const std::uint64_t n = 3'000'000;
    bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
        std::atomic<std::uint64_t> cells{0};
        bough::parallel_for(
            range(0, n, n / 20, 0, n, n / 20),
            [&](const range& r) { cells.fetch_add(r.rows().size() * r.cols().size()); }, partitioner);
        EXPECT_EQ(cells.load(), n * n) << name;
    });
}

}  // namespace
