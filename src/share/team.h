#pragma once
// The shape of a distribution tree, pure. A node holds the team members [first, last) below itself and a range; it cuts
// its team (itself included) into fan_out shares, gives all but its own away, the largest first, and repeats until it
// is alone. fan_out 2 is the binomial tree. One producer hands off to everybody itself, as far as it can.

#include <algorithm>
#include <cstdint>

#include "bough/detail/loop_job.h"
#include "profile/cut_rule.h"

namespace bough {

struct team_cut {
    std::uint32_t members;  // size of the child's subtree, the child included
    detail::unit units;     // its share of the range, taken from the back
};

// The next child to hand off for a node with `below` members and `units` units, which may have `children` more. Both at
// least 1.
inline team_cut next_child(std::uint32_t below, detail::unit units, const cut_rule& rule,
                           std::uint32_t children) {
    // The last: as below, without three divisions one after the other on the way to the first hand-off.
    if (below == 1 && rule.sixteenths == 0)
        return {1, units / 2};
    // In two steps each, as units may be as large as 2^64.
    const auto part = [units](detail::unit n, detail::unit of) {
        return units / of * n + units % of * n / of;
    };
    const std::uint32_t team = below + 1;
    const std::uint32_t share = rule.fan_out == cut_rule::one_producer ? (below + children - 1) / children
                                                                       : std::max(team / rule.fan_out, 1u);
    return {share, rule.sixteenths != 0 ? part(rule.sixteenths, 16) : part(share, team)};
}

}  // namespace bough
