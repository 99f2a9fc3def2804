#pragma once
// The shape of a distribution tree, pure. A node holds the team members [first, last) below itself and a range; it cuts
// its team (itself included) into fan_out shares, gives all but its own away, the largest first, and repeats until it
// is alone. fan_out 2 is the binomial tree; fan_out >= team is flat.

#include <cstdint>

#include "bough/detail/loop_job.h"

namespace bough {

struct team_cut {
    std::uint32_t members;  // size of the child's subtree, the child included
    detail::unit units;     // its share of the range, taken from the back
};

// The next child to hand out for a node with `below` members and `units` units. below >= 1.
inline team_cut next_child(std::uint32_t below, detail::unit units, std::uint32_t fan_out) {
    if (below == 1)
        return {1, units / 2};
    const std::uint32_t team = below + 1;
    std::uint32_t share = team / (fan_out < 2 ? 2 : fan_out);
    if (share == 0)
        share = 1;
    // In proportion to the subtree; in two steps, as units may be as large as 2^64.
    return {share, units / team * share + units % team * share / team};
}

}  // namespace bough
