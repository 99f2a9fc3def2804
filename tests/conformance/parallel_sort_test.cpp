// tbb::parallel_sort: iterators and containers, comparators, all sizes, patterns that are hard for quick sort.
#include "support.h"

#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <random>

using namespace conformance;

namespace {

template <typename Make>
std::vector<int> made(std::size_t size, const Make& make) {
    std::vector<int> numbers(size);
    for (std::size_t i = 0; i < size; ++i)
        numbers[i] = int(make(i));
    return numbers;
}

std::vector<int> random_numbers(std::size_t size, int top) {
    std::mt19937 engine(static_cast<unsigned>(size));
    return made(size, [&](std::size_t) { return engine() % static_cast<unsigned>(top); });
}

void expect_sorts(std::vector<int> numbers) {
    std::vector<int> expected = numbers;
    std::sort(expected.begin(), expected.end());
    std::vector<int> descending = numbers;
    tbb::parallel_sort(numbers.begin(), numbers.end());
    EXPECT_EQ(numbers, expected);
    tbb::parallel_sort(descending, std::greater<int>());
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(descending, expected);
}

TEST(parallel_sort, sizes) {
    for_widths([] {
        for (std::size_t size : {0u, 1u, 2u, 3u, 9u, 10u, 499u, 500u, 501u, 1000u, 20000u})
            expect_sorts(random_numbers(size, 1 << 30));
    });
}

TEST(parallel_sort, patterns) {
    for_widths([] {
        constexpr std::size_t size = 3000;
        expect_sorts(made(size, [](std::size_t i) { return i; }));
        expect_sorts(made(size, [](std::size_t i) { return size - i; }));
        expect_sorts(made(size, [](std::size_t) { return 7; }));
        expect_sorts(made(size, [](std::size_t i) { return i % 2; }));
        expect_sorts(made(size, [](std::size_t i) { return std::min(i, size - i); }));
        expect_sorts(made(size, [](std::size_t i) { return i == size - 1 ? 0 : i + 1; }));
        expect_sorts(random_numbers(size, 10));
    });
}

TEST(parallel_sort, every_form) {
    for_widths([] {
        const auto numbers = random_numbers(2000, 1 << 30);
        auto expected = numbers;
        std::sort(expected.begin(), expected.end());
        const auto check = [&](auto sort) {
            auto copy = numbers;
            sort(copy);
            EXPECT_EQ(copy, expected);
        };
        check([](auto& v) { tbb::parallel_sort(v.begin(), v.end()); });
        check([](auto& v) { tbb::parallel_sort(v.begin(), v.end(), std::less<int>()); });
        check([](auto& v) { tbb::parallel_sort(v); });
        check([](auto& v) { tbb::parallel_sort(v, [](int a, int b) { return a < b; }); });
        check([](auto& v) { tbb::parallel_sort(v.data(), v.data() + v.size()); });
        check([](auto& v) { tbb::parallel_sort(v.rbegin(), v.rend(), std::greater<int>()); });
    });
}

TEST(parallel_sort, other_containers) {
    for_widths([] {
        const auto numbers = random_numbers(2000, 1 << 30);
        std::deque<int> deque(numbers.begin(), numbers.end());
        tbb::parallel_sort(deque);
        EXPECT_TRUE(std::is_sorted(deque.begin(), deque.end()));
        tbb::concurrent_vector<int> concurrent(numbers.begin(), numbers.end());
        tbb::parallel_sort(concurrent);
        EXPECT_TRUE(std::is_sorted(concurrent.begin(), concurrent.end()));
        int raw[1000];
        std::copy_n(numbers.begin(), 1000, raw);
        tbb::parallel_sort(raw);
        EXPECT_TRUE(std::is_sorted(std::begin(raw), std::end(raw)));
        std::array<int, 1000> array;
        std::copy_n(numbers.begin(), 1000, array.begin());
        tbb::parallel_sort(array, std::greater<int>());
        EXPECT_TRUE(std::is_sorted(array.rbegin(), array.rend()));
    });
}

TEST(parallel_sort, move_only_elements) {
    for_widths([] {
        std::vector<std::unique_ptr<int>> pointers;
        for (int n : random_numbers(2000, 1 << 30))
            pointers.push_back(std::make_unique<int>(n));
        const auto less = [](const auto& a, const auto& b) { return *a < *b; };
        tbb::parallel_sort(pointers, less);
        EXPECT_TRUE(std::is_sorted(pointers.begin(), pointers.end(), less));
    });
}

TEST(parallel_sort, strings) {
    for_widths([] {
        std::vector<std::string> words;
        for (int n : random_numbers(3000, 5000))
            words.push_back("a string too long for the small buffer " + std::to_string(n));
        auto expected = words;
        std::sort(expected.begin(), expected.end());
        tbb::parallel_sort(words);
        EXPECT_EQ(words, expected);
    });
}

TEST(parallel_sort, throws_from_the_comparator) {
    for_widths([] {
        for (int calls_before : {0, 5, 600, 5000}) {
            const auto numbers = random_numbers(5000, 1 << 30);
            auto sorted = numbers;
            std::atomic<int> calls{0};
            EXPECT_EQ(number_thrown_by([&] {
                          tbb::parallel_sort(sorted, [&](int a, int b) {
                              if (++calls > calls_before)
                                  throw test_error(3);
                              return a < b;
                          });
                      }),
                      3);
            auto expected = numbers;
            std::sort(expected.begin(), expected.end());
            tbb::parallel_sort(sorted);
            EXPECT_EQ(sorted, expected) << "no element is lost";
        }
    });
}

TEST(parallel_sort, inside_loops_and_from_many_threads) {
    for_widths([] {
        tbb::parallel_for(0, 8, [](int i) { expect_sorts(random_numbers(1000 + std::size_t(i), 1 << 20)); });
    });
    run_threads(4, [](int i) { expect_sorts(random_numbers(3000 + std::size_t(i), 1 << 20)); });
}

}  // namespace
