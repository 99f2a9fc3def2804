#pragma once
// What the tests of parallel_sort share.

#include "unit/api_erased.h"

#include <bough/parallel_sort.h>

namespace bough_test {

template <class Container>
::testing::AssertionResult is_permutation_sorted(Container expected, const Container& got) {
    std::sort(expected.begin(), expected.end());
    if (!std::is_sorted(got.begin(), got.end()))
        return ::testing::AssertionFailure() << "not sorted";
    if (!(expected == got))
        return ::testing::AssertionFailure() << "elements were lost";
    return ::testing::AssertionSuccess();
}

inline std::vector<int> random_ints(std::size_t n, std::uint64_t below, std::uint64_t seed = 1) {
    std::mt19937_64 generator(seed + n);
    std::vector<int> v(n);
    for (int& x : v)
        x = static_cast<int>(generator() % below);
    return v;
}

inline std::vector<int> sorted(std::vector<int> v) {
    std::sort(v.begin(), v.end());
    return v;
}

}  // namespace bough_test
