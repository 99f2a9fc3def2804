// parallel_sort: what may be passed.

#include <functional>

#include "unit/api_sort_support.h"

namespace {

using bough_test::body_ref;
using bough_test::is_permutation_sorted;
using bough_test::random_ints;

TEST(api_sort, every_form) {
    const auto numbers = random_ints(50000, 1000000);
    const auto check = [&](body_ref<void(std::vector<int>&)> sort) {
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
}

}  // namespace
