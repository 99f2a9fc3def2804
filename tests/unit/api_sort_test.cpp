// parallel_sort: sizes, patterns, many sorts at once, the parallel partition.

#include <string>

#include "unit/api_sort_support.h"

namespace {

using bough_test::body_ref;
using bough_test::is_permutation_sorted;
using bough_test::random_ints;
using bough_test::sorted;

// Sizes around every limit in the algorithm: insertion, fork, blocks, a partition by several threads.
const std::vector<std::size_t> sizes{0,    1,    2,    3,    31,    32,    33,     100,   1999,
                                     2000, 2001, 4096, 8192, 32768, 65537, 131072, 300001};

TEST(api_sort, random_of_every_size) {
    for (const std::size_t n : sizes) {
        auto v = random_ints(n, 1u << 30);
        const auto before = v;
        bough::parallel_sort(v.begin(), v.end());
        EXPECT_TRUE(is_permutation_sorted(before, v)) << n;
    }
}

TEST(api_sort, patterns) {
    const auto check = [](std::size_t n, const char* name, body_ref<std::size_t(std::size_t)> value) {
        std::vector<double> v(n);
        std::vector<std::string> words(std::min<std::size_t>(n, 20000));
        for (std::size_t i = 0; i < n; ++i)
            v[i] = static_cast<double>(value(i));
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] = "a word that is not short " + std::to_string(1000000 + static_cast<int>(v[i]));
        const auto before = v;
        const auto words_before = words;
        bough::parallel_sort(v);
        bough::parallel_sort(words);
        EXPECT_TRUE(is_permutation_sorted(before, v)) << name << " of " << n;
        EXPECT_TRUE(is_permutation_sorted(words_before, words)) << name << " of " << n;
    };
    for (const std::size_t n : {50u, 3000u, 200000u}) {
        check(n, "sorted", [](std::size_t i) { return i; });
        check(n, "reversed", [n](std::size_t i) { return n - i; });
        check(n, "equal", [](std::size_t) { return 7u; });
        check(n, "two values", [](std::size_t i) { return i * 7919 % 13 % 2; });
        check(n, "few values", [](std::size_t i) { return i * 7919 % 10; });
        check(n, "reversed steps", [n](std::size_t i) { return (n - i) / 100; });
        check(n, "organ pipe", [n](std::size_t i) { return std::min(i, n - i); });
        check(n, "saw", [](std::size_t i) { return i % 1000; });
        check(n, "unsorted end", [n](std::size_t i) { return i + 1 == n ? 0 : i; });
        check(n, "unsorted begin", [n](std::size_t i) { return i == 0 ? n : i; });
        check(n, "all small on the left", [n](std::size_t i) { return i < n / 4 ? i % 10 : i * 7919 % n; });
    }
}

TEST(api_sort, nested_and_from_many_threads) {
    const auto numbers = random_ints(20000, 1000000);
    std::atomic<int> sorted{0};
    const auto sort_one = [&] {
        auto v = numbers;
        bough::parallel_sort(v);
        sorted += is_permutation_sorted(numbers, v) ? 1 : 0;
    };
    bough::parallel_for(0, 20, [&](int) { sort_one(); });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back(sort_one);
    for (auto& t : threads)
        t.join();
    EXPECT_EQ(sorted, 24);
}

// The partition on its own, with shares of the two sides that leave any kind of unfinished blocks.
TEST(api_sort, parallel_partition) {
    bough_test::budget rounds(60, 2000);
    std::mt19937_64 generator = bough_test::seeded_generator();
    while (rounds.next()) {
        const std::size_t n = bough_test::uniform(generator, 0, 200000);
        const int share_left = static_cast<int>(bough_test::uniform(generator, 0, 100));
        const int share_right = static_cast<int>(bough_test::uniform(generator, 0, 100));
        std::vector<int> v(n);
        for (std::size_t i = 0; i < n; ++i) {
            const int share = i < n / 2 ? share_left : share_right;
            v[i] = static_cast<int>(i) * 2 + (static_cast<int>(generator() % 100) < share ? 1 : 0);
        }
        const auto before = v;
        const auto is_odd = [](int x) {
            if (x % 1999 == 0)
                std::this_thread::yield();  // so that many end with an unfinished block
            return (x & 1) != 0;
        };
        const auto odd = std::count_if(v.begin(), v.end(), is_odd);
        const auto workers = static_cast<unsigned>(bough_test::uniform(generator, 1, 8));
        const auto bound = bough::detail::parallel_partition(v.begin(), v.end(), is_odd).run(workers);
        ASSERT_EQ(bound - v.begin(), odd);
        ASSERT_TRUE(std::all_of(v.begin(), bound, is_odd));
        ASSERT_TRUE(std::none_of(bound, v.end(), is_odd));
        ASSERT_EQ(sorted(v), sorted(before));
    }
}

}  // namespace
