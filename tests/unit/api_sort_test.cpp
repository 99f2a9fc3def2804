// parallel_sort: patterns, element types, comparators that throw or are no order, cancellation, the parallel partition.

#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>

#include <bough/parallel_sort.h>

#include "unit/api_support.h"

namespace {

using bough_test::boom;

template <class Container>
::testing::AssertionResult is_permutation_sorted(Container expected, const Container& got) {
    std::sort(expected.begin(), expected.end());
    if (!std::is_sorted(got.begin(), got.end()))
        return ::testing::AssertionFailure() << "not sorted";
    if (!(expected == got))
        return ::testing::AssertionFailure() << "elements were lost";
    return ::testing::AssertionSuccess();
}

std::vector<int> random_ints(std::size_t n, std::uint64_t below, std::uint64_t seed = 1) {
    std::mt19937_64 generator(seed + n);
    std::vector<int> v(n);
    for (int& x : v)
        x = static_cast<int>(generator() % below);
    return v;
}

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
    const auto check = [](std::size_t n, const char* name, auto value) {
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
        check(n, "equal", [](std::size_t) { return 7; });
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

TEST(api_sort, every_form) {
    const auto numbers = random_ints(50000, 1000000);
    const auto check = [&](auto sort) {
        auto v = numbers;
        sort(v);
        EXPECT_TRUE(is_permutation_sorted(numbers, v));
    };
    check([](auto& v) { bough::parallel_sort(v); });
    check([](auto& v) { bough::parallel_sort(v.begin(), v.end()); });
    check([](auto& v) { bough::parallel_sort(v.data(), v.data() + v.size()); });
    check([](auto& v) { bough::parallel_sort(v, std::less<>()); });
    check([](auto& v) { bough::parallel_sort(v.begin(), v.end(), [](int a, int b) { return a < b; }); });
    check([](auto& v) { bough::parallel_sort(v.rbegin(), v.rend(), std::greater<>()); });
    std::deque<int> deque(numbers.begin(), numbers.end());
    bough::parallel_sort(deque);
    EXPECT_TRUE(std::is_sorted(deque.begin(), deque.end()));
    std::array<int, 5> array{5, 3, 1, 2, 4};
    bough::parallel_sort(array);
    EXPECT_TRUE(std::is_sorted(array.begin(), array.end()));
    std::vector<bool> bits(1000);  // references that are none; short, since neighbours share a word
    for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] = i * 7919 % 13 % 2;
    const auto set = std::count(bits.begin(), bits.end(), true);
    bough::parallel_sort(bits.begin(), bits.end());
    EXPECT_TRUE(std::is_sorted(bits.begin(), bits.end()));
    EXPECT_EQ(std::count(bits.begin(), bits.end(), true), set);
}

TEST(api_sort, move_only_elements) {
    std::vector<std::unique_ptr<int>> pointers;
    for (int n : random_ints(70000, 5000))
        pointers.push_back(std::make_unique<int>(n));
    const auto less = [](const auto& a, const auto& b) { return *a < *b; };  // a lost one would crash
    bough::parallel_sort(pointers, less);
    EXPECT_TRUE(std::is_sorted(pointers.begin(), pointers.end(), less));
}

// Neither default-constructible nor assignable from anything but itself; wider than what is copied without branches.
struct record {
    explicit record(int k) : key(k), text(std::to_string(k)) {}
    bool operator<(const record& other) const { return key < other.key; }
    int key;
    std::string text;
};

TEST(api_sort, records_keep_together) {
    std::vector<record> records;
    for (int n : random_ints(60000, 3000))
        records.emplace_back(n);
    bough::parallel_sort(records);
    EXPECT_TRUE(std::is_sorted(records.begin(), records.end()));
    for (const record& r : records)
        ASSERT_EQ(std::to_string(r.key), r.text);
}

// Makes bad pivots on purpose: every element is decided to be greater than those seen before (McIlroy 1999). A sort
// without a limit to bad pivots would need n*n/4 comparisons or more.
TEST(api_sort, few_comparisons_against_an_adversary) {
    for (const std::size_t n : {1500u, 60000u}) {
        std::vector<int> items(n), value(n, std::numeric_limits<int>::max());
        std::iota(items.begin(), items.end(), 0);
        value[0] = 1, value[1] = 0, value[2] = 2;  // no run
        std::mutex mutex;
        int solid = 3, candidate = 0;
        std::uint64_t comparisons = 0;
        const int gas = std::numeric_limits<int>::max();
        bough::parallel_sort(items, [&](int x, int y) {
            const std::lock_guard lock(mutex);
            ++comparisons;
            const auto xi = static_cast<std::size_t>(x), yi = static_cast<std::size_t>(y);
            if (value[xi] == gas && value[yi] == gas)
                value[x == candidate ? xi : yi] = solid++;
            if (value[xi] == gas)
                candidate = x;
            else if (value[yi] == gas)
                candidate = y;
            return value[xi] < value[yi];
        });
        const double log2 = std::log2(static_cast<double>(n));
        EXPECT_LT(static_cast<double>(comparisons), 8 * static_cast<double>(n) * log2);
        EXPECT_TRUE(std::is_sorted(items.begin(), items.end(), [&](int x, int y) {
            return value[static_cast<std::size_t>(x)] < value[static_cast<std::size_t>(y)];
        }));
    }
}

// Whenever it throws, the range holds what it held.
TEST(api_sort, throwing_comparator_loses_nothing) {
    const auto numbers = random_ints(60000, 1000000);
    auto expected = numbers;
    std::sort(expected.begin(), expected.end());
    for (const int calls_before : {0, 1, 5, 600, 5000, 50000, 200000, 700000}) {
        std::atomic<int> calls{0};
        const auto throwing = [&](const auto& a, const auto& b) {
            if (calls.fetch_add(1, std::memory_order_relaxed) >= calls_before)
                throw boom{1};
            return a < b;
        };
        auto ints = numbers;
        EXPECT_THROW(bough::parallel_sort(ints, throwing), boom);
        std::sort(ints.begin(), ints.end());
        EXPECT_EQ(ints, expected) << calls_before;

        std::vector<std::string> words;
        for (int n : numbers)
            words.push_back("a word that is not short " + std::to_string(n));
        auto sorted_words = words;
        std::sort(sorted_words.begin(), sorted_words.end());
        calls = 0;
        EXPECT_THROW(bough::parallel_sort(words, throwing), boom);
        std::sort(words.begin(), words.end());
        EXPECT_TRUE(words == sorted_words) << calls_before;
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_sort, throwing_at_every_comparison) {
    for (const std::size_t n : {10u, 33u, 1000u}) {
        const auto numbers = random_ints(n, 50);
        auto expected = numbers;
        std::sort(expected.begin(), expected.end());
        for (int calls_before = 0;; ++calls_before) {
            int calls = 0;
            auto v = numbers;
            bool thrown = false;
            try {
                bough::parallel_sort(v, [&](int a, int b) {
                    if (calls++ == calls_before)
                        throw boom{1};
                    return a < b;
                });
            } catch (const boom&) {
                thrown = true;
            }
            std::sort(v.begin(), v.end());
            ASSERT_EQ(v, expected) << calls_before << " of " << n;
            if (!thrown)
                break;
        }
    }
}

// No order at all: any result, but of the same elements and without a step outside of the range.
TEST(api_sort, comparators_that_are_no_order) {
    const auto numbers = random_ints(50000, 1000);
    const auto check = [&](auto comp) {
        auto v = numbers;
        bough::parallel_sort(v, comp);
        EXPECT_TRUE(std::is_permutation(v.begin(), v.begin() + 100, v.begin()));
        auto expected = numbers;
        std::sort(v.begin(), v.end());
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(v, expected);
    };
    check([](int, int) { return true; });
    check([](int, int) { return false; });
    check([](int a, int b) { return a <= b; });
    check([](int a, int b) { return ((a ^ b) & 1) != 0; });
    std::vector<double> with_nans(100000);
    for (std::size_t i = 0; i < with_nans.size(); ++i)
        with_nans[i] = i % 3 ? static_cast<double>(i * 7919 % 100000) : std::nan("");
    bough::parallel_sort(with_nans);
    EXPECT_EQ(std::count_if(with_nans.begin(), with_nans.end(), [](double x) { return std::isnan(x); }),
              33334);
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
    // A comparator that uses the runtime.
    auto v = random_ints(3000, 1000000);
    const auto before = v;
    bough::parallel_sort(v, [](int a, int b) {
        std::atomic<bool> less{false};
        bough::parallel_for(0, 2, [&](int i) {
            if (i == 1)
                less = a < b;
        });
        return less.load();
    });
    EXPECT_TRUE(is_permutation_sorted(before, v));
}

// The sort is cancelled with what it runs in, and leaves a permutation.
TEST(api_sort, cancelled_from_outside) {
    for (const int calls_before : {0, 1000, 100000, 400000}) {
        const auto numbers = random_ints(60000, 1000000);
        auto v = numbers;
        bough::task_group_context context;
        std::atomic<int> calls{0};
        bough::parallel_for(
            0, 1,
            [&](int) {
                bough::parallel_sort(v, [&](int a, int b) {
                    if (calls.fetch_add(1) == calls_before)
                        context.cancel_group_execution();
                    return a < b;
                });
            },
            context);
        EXPECT_TRUE(context.is_group_execution_cancelled());
        auto expected = numbers;
        std::sort(expected.begin(), expected.end());
        std::sort(v.begin(), v.end());
        EXPECT_EQ(v, expected);
    }
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
        auto expected = v;
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
        std::sort(v.begin(), v.end());
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(v, expected);
    }
}

}  // namespace
