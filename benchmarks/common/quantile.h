#pragma once
// The value below which that share of all lies. Changes their order.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bench {

// There is at least one.
template <class Number>
Number quantile(std::vector<Number>& values, double share) {
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

}  // namespace bench
