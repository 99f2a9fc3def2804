#pragma once
// How often a range can be halved, and how many leaves the deterministic algorithms make of it: by the range alone.

#include <cstdint>

#include "range_cut.h"

namespace bough::detail {

// Halvings on the way to the leftmost, or rightmost, leaf; at most `most`. O(result) copies of the range.
template <class Range>
unsigned spine(Range& r, bool rightmost, unsigned most) {
    if (most == 0 || !r.is_divisible())
        return 0;
    Range right(r, typename split_tags<Range>::halves());
    return 1 + spine(rightmost ? right : r, rightmost, most - 1);
}

// The longer of both. An index range has all its nodes on each of these levels but, perhaps, the last.
template <class Range>
unsigned levels_of(const Range& range, unsigned most) {
    if (range.empty())
        return 0;
    Range left(range), right(range);
    const unsigned l = spine(left, false, most), r = spine(right, true, most);
    return l > r ? l : r;
}

// Of so many levels an automatic grain takes half: there are about as many leaves as a leaf has indices, so what a leaf
// costs in itself (3 ns and the call) is small against what it does, whatever the size. A short range is cut into up to
// eight: they cost less than to hand one out.
constexpr unsigned automatic_levels(unsigned all) {
    constexpr unsigned least = 3;
    return all / 2 > least ? all / 2 : all < least ? all : least;
}

}  // namespace bough::detail
