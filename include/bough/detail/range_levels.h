#pragma once
// How many leaves the deterministic algorithms make of a range: by the range alone.

namespace bough::detail {

// Of so many levels an automatic grain takes half: there are about as many leaves as a leaf has indices, so what a leaf
// costs in itself (3 ns and the call) is small against what it does, whatever the size. A short range is cut into up to
// eight: they cost less than to hand one out.
constexpr unsigned automatic_levels(unsigned all) {
    constexpr unsigned least = 3;
    return all / 2 > least ? all / 2 : all < least ? all : least;
}

}  // namespace bough::detail
