// Morsels: pieces cover all, end on cache lines of the data, and no line is written by two threads.

#include "unit/api_morsel_support.h"

namespace {

using bough_test::any_partitioner;
using bough_test::check_morsels;
using bough_test::line;
using bough_test::visits;
using piece = bough_test::morsel_piece;

struct alignas(8) twenty_four {
    char bytes[24];
};

template <class T>
class api_morsel : public ::testing::Test {};
using element_types = ::testing::Types<char, short, float, double, twenty_four>;
TYPED_TEST_SUITE(api_morsel, element_types);

TYPED_TEST(api_morsel, keep_their_promises_for_every_alignment_size_and_partitioner) {
    using element = TypeParam;
    std::vector<element> store(9000);
    for (const std::size_t shift : {0u, 1u, 3u, 7u, 8u}) {
        for (const std::size_t n : {0u, 1u, 2u, 7u, 64u, 65u, 1000u, 8900u}) {
            bough_test::for_any_partitioner([&](const char* name, any_partitioner& partitioner) {
                SCOPED_TRACE(std::string(name) + ", shift " + std::to_string(shift) + ", n " +
                             std::to_string(n));
                check_morsels(store.data() + shift, 0, n, 1024, partitioner);
                check_morsels(store.data() + shift, n / 3, n, 100, partitioner);
            });
        }
    }
}

TYPED_TEST(api_morsel, cover_large_data_with_the_default_size) {
    using element = TypeParam;
    std::vector<element> store(2 * bough::default_morsel_bytes() / sizeof(element) + 5);
    any_partitioner automatic(any_partitioner::automatic);
    const auto pieces = check_morsels(store.data() + 1, 3, store.size() - 1, 0, automatic);
    EXPECT_GE(pieces.size(), 2u) << "twice the default size";
}

TEST(api_morsel_range, without_a_size_has_eight_morsels_for_each_thread_of_the_arena) {
    alignas(line) static double little[8192], least[24];
    const std::vector<char> much(3 * bough::default_morsel_bytes());
    const auto expect = [&](int threads, std::size_t morsels) {
        SCOPED_TRACE(threads);
        bough::task_arena(threads).execute([&] {
            EXPECT_EQ(bough::morsel_range<double>(little, 0, 8192).morsels(), morsels);
            EXPECT_EQ(bough::morsel_range<double>(least, 0, 24).morsels(), 3u) << "a line each";
            EXPECT_GE(bough::morsel_range<const char>(much.data(), 0, much.size()).morsels(), 3u);
        });
    };
    expect(1, 8);
    expect(8, 64);
    expect(100, 512);  // a line and a quarter each, which is rounded up
}

TEST(api_morsel_range, says_what_it_was_made_of) {
    std::vector<double> store(100);
    const bough::morsel_range<double> r(store.data(), 10, 90, 128);
    EXPECT_EQ(r.begin(), 10u);
    EXPECT_EQ(r.end(), 90u);
    EXPECT_EQ(r.data(), store.data());
    EXPECT_FALSE(r.empty());
    EXPECT_TRUE((bough::morsel_range<double>(store.data(), 10, 10, 128).empty()));
}

TEST(api_morsel_range, is_a_range_that_splits_between_morsels) {
    std::vector<double> store(1000);
    bough::morsel_range<double> left(store.data(), 3, 1000, 256);
    ASSERT_TRUE(left.is_divisible());
    const bough::morsel_range<double> right(left, bough::split());
    EXPECT_EQ(left.begin(), 3u);
    EXPECT_EQ(left.end(), right.begin());
    EXPECT_EQ(right.end(), 1000u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(store.data() + right.begin()) % line, 0u);
}

// An element that straddles every line border can't be cut anywhere: one morsel.
TEST(api_morsel_range, elements_that_never_begin_on_a_line) {
    struct sixteen {
        char bytes[16];
    };
    alignas(64) static char store[16 * 500 + 64];
    auto* data = reinterpret_cast<sixteen*>(store + 8);
    any_partitioner automatic(any_partitioner::automatic);
    check_morsels(data, 0, 500, 128, automatic);
}

TEST(api_morsel_range, one_thread_takes_its_morsels_in_order) {
    const bough::global_control one(bough::global_control::max_allowed_parallelism, 1);
    std::vector<float> store(100000);
    std::vector<std::size_t> begins;
    const auto note = [&](const bough::morsel_range<float>& m) {
        begins.push_back(m.begin());
        std::this_thread::sleep_for(std::chrono::microseconds(20));  // others may come
    };
    // Made under the limit: where workers have been before, one may be about to steal (src/worker/rare_states.md).
    bough::task_arena(8).execute(
        [&] { bough::parallel_for(bough::morsel_range<float>(store.data(), 0, store.size(), 4096), note); });
    EXPECT_GT(begins.size(), 10u);
    EXPECT_TRUE(std::is_sorted(begins.begin(), begins.end()));
}

TEST(api_morsel_range, in_a_reduction_keeps_the_order) {
    std::vector<int> store(5000);
    for (std::size_t i = 0; i < store.size(); ++i)
        store[i] = static_cast<int>(i);
    const auto joined = bough::parallel_reduce(
        bough::morsel_range<int>(store.data(), 1, store.size(), 256), std::vector<int>(),
        [](const bough::morsel_range<int>& m, std::vector<int> v) {
            v.insert(v.end(), m.data() + m.begin(), m.data() + m.end());
            return v;
        },
        [](std::vector<int> a, const std::vector<int>& b) {
            a.insert(a.end(), b.begin(), b.end());
            return a;
        });
    EXPECT_EQ(joined, std::vector<int>(store.begin() + 1, store.end()));
}

// Index i stands for bytes [i * bytes, (i + 1) * bytes) of data that begins on a line.
TEST(api_morsel_partitioner, cuts_a_blocked_range_on_lines) {
    for (const std::size_t bytes : {1u, 4u, 8u, 24u, 64u, 100u}) {
        for (const std::size_t morsel : {64u, 1000u, 5000u}) {
            for (const std::size_t first : {0u, 1u, 5u, 77u}) {
                constexpr std::size_t last = 20003;
                std::mutex mutex;
                std::map<std::size_t, std::thread::id> writer;
                int inside_a_line = 0, shared = 0;
                visits seen(last);
                bough::parallel_for(
                    bough::blocked_range<std::size_t>(first, last),
                    [&](const bough::blocked_range<std::size_t>& r) {
                        const std::lock_guard<std::mutex> lock(mutex);
                        seen.hit_range(r);
                        inside_a_line += r.end() != last && r.end() * bytes % line != 0 ? 1 : 0;
                        for (std::size_t l = r.begin() * bytes / line; l <= (r.end() * bytes - 1) / line;
                             ++l) {
                            const auto [at, fresh] = writer.emplace(l, std::this_thread::get_id());
                            shared += !fresh && at->second != std::this_thread::get_id() ? 1 : 0;
                        }
                    },
                    bough::morsel_partitioner(bytes, morsel));
                SCOPED_TRACE("bytes " + std::to_string(bytes) + ", first " + std::to_string(first));
                EXPECT_EQ(inside_a_line, 0) << "pieces that end inside a line";
                EXPECT_EQ(shared, 0) << "lines that two threads wrote";
                EXPECT_EQ(seen.total(), last - first);
                EXPECT_TRUE(seen.none_twice());
            }
        }
    }
}

TEST(api_morsel_partitioner, empty_and_single_and_signed_ranges) {
    const bough::morsel_partitioner how(8, 256);
    std::atomic<int> calls{0}, sum{0};
    const auto body = [&](const bough::blocked_range<int>& r) {
        calls.fetch_add(1);
        for (int i = r.begin(); i < r.end(); ++i)
            sum.fetch_add(i);
    };
    bough::parallel_for(bough::blocked_range<int>(4, 4), body, how);
    EXPECT_EQ(calls.load(), 0);
    bough::parallel_for(bough::blocked_range<int>(4, 5), body, how);
    EXPECT_EQ(calls.load(), 1);
    EXPECT_EQ(sum.load(), 4);
    bough::parallel_for(bough::blocked_range<int>(-1000, 1001), body, how);
    EXPECT_EQ(sum.load(), 4);
    EXPECT_GT(calls.load(), 1 + 2001 * 8 / 512) << "256 bytes were asked for";
}

TEST(api_morsel_partitioner, exceptions_and_the_default_size) {
    EXPECT_THROW(bough::parallel_for(
                     bough::blocked_range<int>(0, 10000),
                     [](const bough::blocked_range<int>&) { throw bough_test::boom{1}; },
                     bough::morsel_partitioner(8)),
                 bough_test::boom);
    visits seen(1000000);
    bough::parallel_for(
        bough::blocked_range<std::size_t>(0, 1000000),
        [&](const bough::blocked_range<std::size_t>& r) { seen.hit_range(r); }, bough::morsel_partitioner(8));
    EXPECT_TRUE(seen.each_once());
}

TEST(api_morsel_partitioner, without_a_size_has_eight_morsels_for_each_thread_of_the_arena) {
    std::atomic<int> morsels{0};
    bough::task_arena(4).execute([&] {
        bough::parallel_for(
            bough::blocked_range<int>(0, 8192), [&](const auto&) { morsels.fetch_add(1); },
            bough::morsel_partitioner(8));
    });
    EXPECT_EQ(morsels.load(), 32);
}

}  // namespace
