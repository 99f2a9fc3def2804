#pragma once
// How many leaves the deterministic algorithms make of a range. The range alone decides.

namespace bough::detail {

// With an automatic grain a tree has half of all levels. So there are about as many leaves as a leaf has indices. For
// any size, what a leaf costs by itself (3 ns and the call) is small against its work. A short range is cut into up to
// eight leaves, which cost less than one hand-off.
constexpr unsigned automatic_levels(unsigned all) {
    constexpr unsigned least = 3;
    return all / 2 > least ? all / 2 : all < least ? all : least;
}

}  // namespace bough::detail
