#pragma once
// Numbers in no order, for sorting: the same on every machine.

#include <algorithm>
#include <cstdint>
#include <random>

#include "common/buffer.h"
#include "common/measure.h"
#include "common/runtime.h"

namespace bench {

using sortable = std::uint32_t;

// Below 2^30, so that no number is `unsorted`; some occur more than once.
inline buffer<sortable> shuffled(index n) {
    std::mt19937 random(1);  // its sequence is fixed by the standard
    buffer<sortable> numbers(n);
    for (index i = 0; i < n; ++i)
        numbers[i] = static_cast<sortable>(random()) >> 2;
    return numbers;
}

constexpr sortable unsorted = ~sortable{0};

// Below this many a sort or a merge is not worth a fork: some 50 us.
constexpr index sort_grain = 2048;

// A sort of input into output: equal to std::sort's.
class sorting {
public:
    explicit sorting(index n) : input_(shuffled(n)), output_(n), expected_(n) {
        std::copy_n(input_.data(), n, expected_.data());
        std::sort(expected_.data(), expected_.data() + n);
    }

    void reset() { output_.fill(unsorted); }
    std::size_t first_wrong() const { return first_difference(output_, expected_); }

protected:
    buffer<sortable> input_, output_;

private:
    buffer<sortable> expected_;
};

}  // namespace bench
