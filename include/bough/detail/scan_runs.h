#pragma once
// How a deterministic scan sums a unit ahead: in runs of a few indices, each from the identity, joined from left to right.
// In a sum of floating-point numbers each addition waits for the one before, 3 or 4 cycles. No run waits for the one
// before it, so a core that looks ahead adds in both at once: it sums runs of 64 in 0.45 of the time, of 128 in 0.6, of
// 512 in 0.9. (Memory is not what bounds such a scan: 2^24 numbers took no longer than as many from the L1 cache.)
//
// For functional scans of floating-point values. Integers are added in one cycle, several at once, which runs would only
// cut short. A grain size bounds runs from below, for calls that cost much. Runs depend on the range and the type alone.
//
// Rejected: to leave some of the units unsummed, since a final scan gives the sum as well. Where these lie the range alone
// must say, and each waits for the one before: if they are an eighth of all, no number of threads scans more than 8 times
// as fast as one, and two threads save a sixteenth.

#include <algorithm>

#include "range_cut.h"

namespace bough::detail {

// Of a body that has append(range): scans it from the identity, not finally, and joins that to what the body has.
template <class Body>
inline constexpr bool is_summed_in_runs = false;

// How many runs a unit has, if the range is cut into `limit` units, or into grains.
template <class Range>
unit runs_of_unit(const Range& range, unit limit) {
    // Two and more fit into what a core looks ahead: 200 to 500 instructions, one or two for each number.
    constexpr unit least = 64;
    const unit grains = index_cut<Range>(range, ~unit{0}).units(), units = std::min(grains, limit);
    if (units == 0)
        return 1;
    return std::max(unit{1}, std::min(range.size() / units / least, grains / units));
}

}  // namespace bough::detail
