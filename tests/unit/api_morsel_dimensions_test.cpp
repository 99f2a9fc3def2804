// A morsel_partitioner over two and three dimensions, in reductions and scans, and with a memory. Which thread runs a
// morsel is not looked at: no line may belong to two morsels.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "bough/bough.h"
#include "unit/api_morsel_support.h"

namespace {

using bough::morsel_partitioner;
using bough_test::line;
using matrix_range = bough::blocked_range2d<int>;
using box_range = bough::blocked_range3d<int>;

// Elements in rows of `pitch`; which morsel has each element, and each line of memory.
class owners {
public:
    owners(std::size_t pitch, std::size_t bytes) : pitch_(pitch), bytes_(bytes) {}

    int new_morsel() {
        const std::lock_guard lock(mutex_);
        return morsels_++;
    }
    void take(int morsel, std::size_t row, std::size_t begin, std::size_t end) {
        const std::lock_guard lock(mutex_);
        for (std::size_t col = begin; col < end; ++col)
            twice_ += !elements_.emplace(row * pitch_ + col, morsel).second;
        const std::size_t first = (row * pitch_ + begin) * bytes_, last = (row * pitch_ + end) * bytes_ - 1;
        for (std::size_t l = first / line; l <= last / line; ++l)
            shared_ += lines_.emplace(l, morsel).first->second != morsel;
    }

    int morsels() const { return morsels_; }
    std::size_t elements() const { return elements_.size(); }
    int twice() const { return twice_; }
    int shared() const { return shared_; }

private:
    std::size_t pitch_, bytes_;
    std::mutex mutex_;
    std::map<std::size_t, int> elements_, lines_;
    int morsels_ = 0, twice_ = 0, shared_ = 0;
};

void visit(owners& all, const matrix_range& range, std::size_t bytes, std::size_t morsel_bytes) {
    bough::parallel_for(
        range,
        [&](const matrix_range& r) {
            const int morsel = all.new_morsel();
            for (int i = r.rows().begin(); i < r.rows().end(); ++i)
                all.take(morsel, static_cast<std::size_t>(i), static_cast<std::size_t>(r.cols().begin()),
                         static_cast<std::size_t>(r.cols().end()));
        },
        morsel_partitioner(bytes, morsel_bytes));
}
int morsels_of(const matrix_range& range, std::size_t pitch, std::size_t morsel_bytes) {
    owners all(pitch, 8);
    visit(all, range, 8, morsel_bytes);
    return all.morsels();
}

TEST(api_morsel_dimensions, whole_rows_of_dense_data) {
    for (const std::size_t bytes : {1u, 4u, 8u, 24u})
        for (const int width : {1, 7, 16, 100})
            for (const std::size_t morsel : {64u, 1000u, 100000u}) {
                SCOPED_TRACE(std::to_string(bytes) + " bytes, " + std::to_string(width) +
                             " wide, morsels of " + std::to_string(morsel));
                const auto w = static_cast<std::size_t>(width);
                owners all(w, bytes);
                visit(all, matrix_range(0, 90, 0, width), bytes, morsel);
                EXPECT_EQ(all.elements(), 90 * w);
                EXPECT_EQ(all.twice(), 0);
                if (morsel >= line * w * bytes) {  // a morsel reaches to a row that begins on a line
                    EXPECT_EQ(all.shared(), 0);
                }
            }
}

TEST(api_morsel_dimensions, rows_that_begin_on_lines_are_cut_on_lines) {
    constexpr std::size_t pitch = 1024;
    for (const std::size_t bytes : {1u, 4u, 8u})
        for (const int first : {0, 1, 77})
            for (const std::size_t morsel : {64u, 256u, 1000u, 9000u}) {
                SCOPED_TRACE(std::to_string(bytes) + " bytes, from " + std::to_string(first) +
                             ", morsels of " + std::to_string(morsel));
                owners all(pitch, bytes);
                visit(all, matrix_range(3, 20, first, 1001), bytes, morsel);
                EXPECT_EQ(all.elements(), 17 * static_cast<std::size_t>(1001 - first));
                EXPECT_EQ(all.twice(), 0);
                EXPECT_EQ(all.shared(), 0);
            }
}

TEST(api_morsel_dimensions, morsels_are_as_large_as_asked_for) {
    EXPECT_EQ(morsels_of(matrix_range(0, 64, 0, 64), 64, 4096), 8) << "8 rows of 512 bytes";
    EXPECT_EQ(morsels_of(matrix_range(0, 4, 0, 1024), 1024, 4096), 8) << "half a row each";
    EXPECT_EQ(morsels_of(matrix_range(0, 64, 0, 64), 64, 1 << 20), 1);
    EXPECT_EQ(morsels_of(matrix_range(5, 5, 0, 64), 64, 4096), 0) << "no row";
    EXPECT_EQ(morsels_of(matrix_range(0, 64, 9, 9), 64, 4096), 0) << "no column";
}

TEST(api_morsel_dimensions, without_a_size_have_eight_morsels_for_each_thread_of_the_arena) {
    bough::task_arena(4).execute([] {
        EXPECT_EQ(morsels_of(matrix_range(0, 64, 0, 64), 64, 0), 32) << "two rows each";
        EXPECT_EQ(morsels_of(matrix_range(0, 4, 0, 1024), 1024, 0), 32) << "an eighth of a row each";
        std::atomic<int> boxes{0};
        bough::parallel_for(
            box_range(0, 16, 0, 4, 0, 64), [&](const box_range&) { boxes.fetch_add(1); },
            morsel_partitioner(8));
        EXPECT_EQ(boxes.load(), 32) << "half a page each";
    });
}

TEST(api_morsel_dimensions, negative_indices) {
    std::mutex mutex;
    std::map<std::pair<int, int>, int> seen;
    int calls = 0;
    bough::parallel_for(
        matrix_range(-9, 7, -20, 20),
        [&](const matrix_range& r) {
            const std::lock_guard lock(mutex);
            ++calls;
            for (int i = r.rows().begin(); i < r.rows().end(); ++i)
                for (int j = r.cols().begin(); j < r.cols().end(); ++j)
                    ++seen[{i, j}];
        },
        morsel_partitioner(8, 1280));
    EXPECT_EQ(seen.size(), 16u * 40u);
    for (const auto& [at, times] : seen)
        EXPECT_EQ(times, 1) << at.first << ", " << at.second;
    EXPECT_EQ(calls, 5) << "rows -9, -8 to -5, -4 to -1, 0 to 3, 4 to 6";
}

TEST(api_morsel_dimensions, boxes_by_pieces_of_rows_rows_and_pages) {
    for (const std::size_t morsel : {64u, 512u, 3000u, 6144u, 50000u, 1000000u}) {
        SCOPED_TRACE("morsels of " + std::to_string(morsel));
        owners all(48, 8);  // 12 pages of 10 rows of 48
        bough::parallel_for(
            box_range(0, 12, 0, 10, 0, 48),
            [&](const box_range& r) {
                const int mine = all.new_morsel();
                for (int p = r.pages().begin(); p < r.pages().end(); ++p)
                    for (int i = r.rows().begin(); i < r.rows().end(); ++i)
                        all.take(mine, static_cast<std::size_t>(p * 10 + i),
                                 static_cast<std::size_t>(r.cols().begin()),
                                 static_cast<std::size_t>(r.cols().end()));
            },
            morsel_partitioner(8, morsel));
        EXPECT_EQ(all.elements(), 12u * 10u * 48u);
        EXPECT_EQ(all.twice(), 0);
        EXPECT_EQ(all.shared(), 0);
        const std::map<std::size_t, int> morsels{{64, 720},  {512, 120}, {3000, 24},
                                                 {6144, 12}, {50000, 1}, {1000000, 1}};
        EXPECT_EQ(all.morsels(), morsels.at(morsel));
    }
}

TEST(api_morsel_dimensions, a_reduction_joins_from_left_to_right) {
    const auto joined = bough::parallel_reduce(
        bough::blocked_range<int>(3, 5000), std::vector<int>(),
        [](const bough::blocked_range<int>& r, std::vector<int> v) {
            for (int i = r.begin(); i < r.end(); ++i)
                v.push_back(i);
            return v;
        },
        [](std::vector<int> a, const std::vector<int>& b) {
            a.insert(a.end(), b.begin(), b.end());
            return a;
        },
        morsel_partitioner(4, 256));
    std::vector<int> wanted(4997);
    std::iota(wanted.begin(), wanted.end(), 3);
    EXPECT_EQ(joined, wanted);
}

TEST(api_morsel_dimensions, a_reduction_over_a_matrix) {
    const auto sum = bough::parallel_reduce(
        matrix_range(0, 300, 0, 200), std::int64_t{0},
        [](const matrix_range& r, std::int64_t s) {
            for (int i = r.rows().begin(); i < r.rows().end(); ++i)
                for (int j = r.cols().begin(); j < r.cols().end(); ++j)
                    s += i * 200 + j;
            return s;
        },
        [](std::int64_t a, std::int64_t b) { return a + b; }, morsel_partitioner(8, 4096));
    EXPECT_EQ(sum, std::int64_t{60000} * 59999 / 2);
}

TEST(api_morsel_dimensions, a_scan_gets_whole_morsels) {
    constexpr std::size_t n = 100001, each = 64;
    std::vector<std::int64_t> sums(n);
    std::atomic<int> inside{0};
    const auto all = bough::parallel_scan(
        bough::blocked_range<std::size_t>(5, n), std::int64_t{0},
        [&](const bough::blocked_range<std::size_t>& r, std::int64_t sum, bool is_final) {
            inside += (r.begin() % each != 0 && r.begin() != 5) || (r.end() % each != 0 && r.end() != n) ||
                      r.size() > each;
            for (std::size_t i = r.begin(); i < r.end(); ++i) {
                sum += static_cast<std::int64_t>(i);
                if (is_final)
                    sums[i] = sum;
            }
            return sum;
        },
        [](std::int64_t a, std::int64_t b) { return a + b; }, morsel_partitioner(8, 512));
    std::int64_t sum = 0;
    for (std::size_t i = 5; i < n; ++i) {
        sum += static_cast<std::int64_t>(i);
        ASSERT_EQ(sums[i], sum) << i;
    }
    EXPECT_EQ(all, sum);
    EXPECT_EQ(inside, 0);
}

TEST(api_morsel_dimensions, with_a_memory_every_morsel_runs_once_in_every_loop) {
    bough::affinity_partitioner memory;
    const morsel_partitioner how(memory, 8, 512);
    for (int loop = 0; loop < 5; ++loop) {
        bough_test::visits seen(20000);
        bough::parallel_for(
            bough::blocked_range<std::size_t>(0, 20000),
            [&](const bough::blocked_range<std::size_t>& r) {
                seen.hit_range(r);
                std::this_thread::sleep_for(std::chrono::microseconds(r.begin() % 512 == 0 ? 20 : 0));
            },
            how);
        EXPECT_EQ(seen.total(), 20000u);
        EXPECT_TRUE(seen.none_twice());
    }
    if (bough::detail::concurrency() > 1) {
        EXPECT_GT(memory.map().count, 0u) << "nothing was remembered";
    }
}

TEST(api_morsel_dimensions, a_context_and_what_a_body_throws) {
    bough::task_group_context context;
    std::atomic<int> calls{0};
    EXPECT_THROW(bough::parallel_for(
                     matrix_range(0, 1000, 0, 8),
                     [&](const matrix_range&) {
                         if (++calls == 3)
                             throw std::runtime_error("a morsel");
                     },
                     morsel_partitioner(8, 64), context),
                 std::runtime_error);
    EXPECT_TRUE(context.is_group_execution_cancelled());
}

}  // namespace
