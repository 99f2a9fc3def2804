// The partitioners' contracts: sizes and number of the pieces, proportional splits, replay.
#include "support.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/partitioner.h>

#include <algorithm>
#include <mutex>
#include <type_traits>

using namespace conformance;
using range = tbb::blocked_range<std::size_t>;

static_assert(std::is_copy_constructible_v<tbb::simple_partitioner> &&
              std::is_copy_constructible_v<tbb::auto_partitioner> &&
              std::is_copy_constructible_v<tbb::static_partitioner>);
static_assert(!std::is_copy_constructible_v<tbb::affinity_partitioner>);
static_assert(std::is_constructible_v<tbb::split, tbb::proportional_split>);

namespace {

// The pieces that a loop calls its body with, in their order in the range.
template <typename... Tail>
std::vector<range> pieces_of(std::size_t size, std::size_t grain, Tail&&... tail) {
    std::mutex mutex;
    std::vector<range> pieces;
    tbb::parallel_for(
        range(0, size, grain),
        [&](const range& r) {
            const std::lock_guard<std::mutex> lock(mutex);
            pieces.push_back(r);
        },
        tail...);
    std::sort(pieces.begin(), pieces.end(),
              [](const range& a, const range& b) { return a.begin() < b.begin(); });
    std::size_t at = 0;
    for (const range& r : pieces) {
        EXPECT_EQ(r.begin(), at);
        EXPECT_EQ(r.grainsize(), grain);
        at = r.end();
    }
    EXPECT_EQ(at, size);
    return pieces;
}

TEST(proportional_split, left_and_right) {
    const tbb::proportional_split even, uneven(3, 5);
    EXPECT_EQ(even.left(), 1u);
    EXPECT_EQ(even.right(), 1u);
    EXPECT_EQ(uneven.left(), 3u);
    EXPECT_EQ(uneven.right(), 5u);
}

TEST(simple_partitioner, pieces_between_half_the_grain_and_the_grain) {
    for_widths([] {
        for (std::size_t grain : {1u, 2u, 3u, 10u, 64u, 1000u}) {
            for (std::size_t size : {1u, 2u, 3u, 63u, 64u, 65u, 1000u, 1001u, 4096u}) {
                for (const range& r : pieces_of(size, grain, tbb::simple_partitioner())) {
                    EXPECT_LE(r.size(), grain);
                    EXPECT_GE(2 * r.size(), std::min(grain, 2 * size))
                        << "a range below the grain stays whole";
                }
            }
        }
    });
}

TEST(simple_partitioner, the_pieces_do_not_depend_on_the_threads) {
    std::vector<std::size_t> expected;
    for (const range& r : pieces_of(777, 5, tbb::simple_partitioner()))
        expected.push_back(r.end());
    for_widths([&] {
        std::vector<std::size_t> ends;
        for (const range& r : pieces_of(777, 5, tbb::simple_partitioner()))
            ends.push_back(r.end());
        EXPECT_EQ(ends, expected);
    });
}

TEST(simple_partitioner, cuts_all_dimensions_to_the_grain) {
    for_widths([] {
        std::atomic<std::size_t> area{0};
        tbb::parallel_for(
            tbb::blocked_range2d<int>(0, 100, 7, 0, 60, 9),
            [&](const tbb::blocked_range2d<int>& r) {
                EXPECT_LE(r.rows().size(), 7u);
                EXPECT_LE(r.cols().size(), 9u);
                area += r.rows().size() * r.cols().size();
            },
            tbb::simple_partitioner());
        EXPECT_EQ(area, 6000u);
    });
}

TEST(auto_partitioner, pieces_of_at_least_half_the_grain) {
    for_widths([] {
        for (std::size_t grain : {1u, 10u, 64u, 5000u}) {
            for (std::size_t size : {1u, 64u, 1000u, 4097u}) {
                for (const range& r : pieces_of(size, grain, tbb::auto_partitioner())) {
                    EXPECT_GE(2 * r.size(), std::min(grain, 2 * size))
                        << "a range below the grain stays whole";
                }
                pieces_of(size, grain);
            }
        }
    });
}

TEST(static_partitioner, no_more_pieces_than_threads) {
    for (int threads : {1, 2, 3, 8}) {
        with_width(threads, [threads] {
            for (std::size_t size : {1u, 2u, 5u, 8u, 1000u, 10001u}) {
                for (int round = 0; round < 20; ++round)
                    EXPECT_LE(pieces_of(size, 1, tbb::static_partitioner()).size(), std::size_t(threads));
            }
        });
    }
    EXPECT_LE(pieces_of(10001, 1, tbb::static_partitioner()).size(),
              std::size_t(tbb::this_task_arena::max_concurrency()));
}

TEST(static_partitioner, pieces_are_nearly_equal) {
    for (int threads : {1, 2, 3, 8}) {
        with_width(threads, [] {
            for (std::size_t size : {100u, 1000u, 10001u}) {
                const auto pieces = pieces_of(size, 1, tbb::static_partitioner());
                const auto less = [](const range& a, const range& b) { return a.size() < b.size(); };
                const std::size_t smallest = std::min_element(pieces.begin(), pieces.end(), less)->size();
                const std::size_t largest = std::max_element(pieces.begin(), pieces.end(), less)->size();
                EXPECT_LE(largest - smallest, 3u) << "rounding in each of at most three splits";
            }
        });
    }
}

TEST(static_partitioner, pieces_of_at_least_a_third_of_the_grain) {
    for_widths([] {
        for (std::size_t grain : {10u, 64u, 5000u}) {
            for (const range& r : pieces_of(1000, grain, tbb::static_partitioner()))
                EXPECT_GE(3 * r.size(), std::min<std::size_t>(grain, 1000));
        }
    });
}

TEST(static_partitioner, the_same_pieces_every_time) {
    for_widths([] {
        const auto sizes = [] {
            std::vector<std::size_t> ends;
            for (const range& r : pieces_of(1000, 1, tbb::static_partitioner()))
                ends.push_back(r.end());
            return ends;
        };
        const auto expected = sizes();
        for (int round = 0; round < 10; ++round)
            EXPECT_EQ(sizes(), expected);
    });
}

TEST(affinity_partitioner, serves_loops_of_all_sizes_again_and_again) {
    for_widths([] {
        tbb::affinity_partitioner affinity;
        for (int round = 0; round < 10; ++round) {
            for (std::size_t size : {0u, 1u, 5u, 100u, 1000u, 1000u, 1000u, 3u}) {
                visits seen(size);
                tbb::parallel_for(std::size_t{0}, size, [&](std::size_t i) { seen.add(i); }, affinity);
                ASSERT_TRUE(seen.each_once());
            }
            const auto sum = [](const range& r, std::size_t s) { return s + r.size(); };
            ASSERT_EQ(
                tbb::parallel_reduce(range(0, 777), std::size_t{0}, sum, std::plus<std::size_t>(), affinity),
                777u);
        }
    });
}

TEST(affinity_partitioner, pieces_of_at_least_a_third_of_the_grain) {
    for_widths([] {
        tbb::affinity_partitioner affinity;
        for (int round = 0; round < 5; ++round) {
            for (const range& r : pieces_of(1000, 64, affinity))
                EXPECT_GE(3 * r.size(), 64u) << "a third, as with any proportional split";
        }
    });
}

TEST(affinity_partitioner, moves_between_arenas_of_different_sizes) {
    tbb::affinity_partitioner affinity;
    for (int round = 0; round < 5; ++round) {
        for (int slots : {1, 8, 2, 16, 3}) {
            tbb::task_arena arena(slots);
            arena.execute([&] {
                visits seen(500);
                tbb::parallel_for(
                    std::size_t{0}, std::size_t{500}, [&](std::size_t i) { seen.add(i); }, affinity);
                EXPECT_TRUE(seen.each_once());
            });
        }
    }
}

TEST(affinity_partitioner, after_exceptions_and_cancellation) {
    for_widths([] {
        tbb::affinity_partitioner affinity;
        for (int round = 0; round < 20; ++round) {
            EXPECT_EQ(number_thrown_by(
                          [&] { tbb::parallel_for(0, 100, [](int) { throw test_error(1); }, affinity); }),
                      1);
            tbb::task_group_context context;
            context.cancel_group_execution();
            tbb::parallel_for(0, 100, [](int) { ADD_FAILURE(); }, affinity, context);
            std::atomic<int> count{0};
            tbb::parallel_for(0, 100, [&](int) { ++count; }, affinity);
            ASSERT_EQ(count, 100);
        }
    });
}

TEST(affinity_partitioner, many_of_them) {
    for_widths([] {
        std::vector<tbb::affinity_partitioner> partitioners(50);
        tbb::parallel_for(std::size_t{0}, partitioners.size(), [&](std::size_t i) {
            std::atomic<int> count{0};
            for (int round = 0; round < 3; ++round)
                tbb::parallel_for(0, 50, [&](int) { ++count; }, partitioners[i]);
            EXPECT_EQ(count, 150);
        });
    });
}

// A range that can be split in proportion, and one that cannot.
template <bool Proportional>
struct counted_range {
    counted_range(int b, int e, std::atomic<int>& p, std::atomic<int>& h)
        : begin(b), end(e), proportional(&p), halving(&h) {}
    counted_range(const counted_range&) = default;
    counted_range(counted_range& other, tbb::split) : counted_range(other) {
        ++*halving;
        cut(other, (other.end - other.begin) / 2);
    }
    template <typename Split,
              typename = std::enable_if_t<Proportional && std::is_same_v<Split, tbb::proportional_split>>>
    counted_range(counted_range& other, Split& split) : counted_range(other) {
        ++*proportional;
        EXPECT_GE(split.left(), 1u);
        EXPECT_GE(split.right(), 1u);
        EXPECT_LE(split.left() - split.right(), 1u) << "nearly even: threads are shared out";
        const int right = (other.end - other.begin) * int(split.right()) / int(split.left() + split.right());
        cut(other, std::max(right, 1));
    }
    void cut(counted_range& other, int right) {
        begin = other.end - right;
        other.end = begin;
    }
    bool empty() const { return begin == end; }
    bool is_divisible() const { return end - begin > 1; }
    int begin, end;
    std::atomic<int>*proportional, *halving;
};

template <bool Proportional, typename Partitioner>
void expect_splits(Partitioner&& partitioner, bool may_be_proportional, bool may_be_halved) {
    std::atomic<int> proportional{0}, halving{0}, covered{0};
    tbb::parallel_for(
        counted_range<Proportional>(0, 1000, proportional, halving),
        [&](const counted_range<Proportional>& r) { covered += r.end - r.begin; }, partitioner);
    EXPECT_EQ(covered, 1000);
    EXPECT_TRUE(may_be_proportional || proportional == 0);
    EXPECT_TRUE(may_be_halved || halving == 0);
}

TEST(user_written_range, static_partitioner_splits_in_proportion_where_it_can) {
    for_widths([] {
        expect_splits<true>(tbb::static_partitioner(), true, false);
        expect_splits<false>(tbb::static_partitioner(), false, true);
    });
}

TEST(user_written_range, the_other_partitioners) {
    for_widths([] {
        tbb::affinity_partitioner affinity, affinity_too;
        expect_splits<true>(tbb::simple_partitioner(), false, true);
        expect_splits<true>(tbb::auto_partitioner(), false, true);
        expect_splits<true>(affinity, true, true);
        expect_splits<false>(affinity_too, false, true);
    });
}

}  // namespace
