// parallel_sort: comparators that throw, cancel, are no order, are adverse or use the runtime.

#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>

#include "unit/api_sort_support.h"

namespace {

using bough_test::body_ref;
using bough_test::boom;
using bough_test::is_permutation_sorted;
using bough_test::random_ints;
using bough_test::sorted;

// All comparators of ints that need no type of their own.
void sort_ints(std::vector<int>& v, body_ref<bool(int, int)> less) {
    bough::parallel_sort(v, less);
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
        sort_ints(items, [&](int x, int y) {
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
    const auto expected = sorted(numbers);
    for (const int calls_before : {0, 1, 5, 600, 5000, 50000, 200000, 700000}) {
        std::atomic<int> calls{0};
        const auto throwing = [&](const auto& a, const auto& b) {
            if (calls.fetch_add(1, std::memory_order_relaxed) >= calls_before)
                throw boom{1};
            return a < b;
        };
        auto ints = numbers;
        EXPECT_THROW(sort_ints(ints, throwing), boom);
        EXPECT_EQ(sorted(ints), expected) << calls_before;

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
        const auto expected = sorted(numbers);
        for (int calls_before = 0;; ++calls_before) {
            int calls = 0;
            auto v = numbers;
            bool thrown = false;
            try {
                sort_ints(v, [&](int a, int b) {
                    if (calls++ == calls_before)
                        throw boom{1};
                    return a < b;
                });
            } catch (const boom&) {
                thrown = true;
            }
            ASSERT_EQ(sorted(v), expected) << calls_before << " of " << n;
            if (!thrown)
                break;
        }
    }
}

// No order at all: any result, but of the same elements and without a step outside of the range.
TEST(api_sort, comparators_that_are_no_order) {
    const auto numbers = random_ints(50000, 1000);
    const auto check = [&](body_ref<bool(int, int)> comp) {
        auto v = numbers;
        sort_ints(v, comp);
        EXPECT_TRUE(std::is_permutation(v.begin(), v.begin() + 100, v.begin()));
        EXPECT_EQ(sorted(v), sorted(numbers));
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

TEST(api_sort, a_comparator_that_uses_the_runtime) {
    auto v = random_ints(3000, 1000000);
    const auto before = v;
    sort_ints(v, [](int a, int b) {
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
                sort_ints(v, [&](int a, int b) {
                    if (calls.fetch_add(1) == calls_before)
                        context.cancel_group_execution();
                    return a < b;
                });
            },
            context);
        EXPECT_TRUE(context.is_group_execution_cancelled());
        EXPECT_EQ(sorted(v), sorted(numbers));
    }
}

}  // namespace
