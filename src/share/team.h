#pragma once
// The shape of a distribution tree, pure. A node has a range and the team members [first, last) below it. It gives one
// child a fan_out-th of its team (itself included) with a part of the range, and repeats with what is left until it is
// alone. So the largest share goes first. fan_out 2 is the binomial tree. With one_producer the caller hands off to
// each member itself, as far as it may have so many children.

#include <algorithm>
#include <cstdint>

#include "bough/detail/loop_job.h"
#include "profile/cut_rule.h"

namespace bough {

struct team_cut {
    std::uint32_t members;  // size of the child's subtree, the child included
    detail::unit units;     // its share of the range, taken from the back
};

// How many members the next child of a node has, itself included, if the node has `below` members below it and may have
// `children` more children. Both are at least 1.
inline std::uint32_t next_members(std::uint32_t below, const cut_rule& rule, std::uint32_t children) {
    if (below == 1)  // the last one, without a division
        return 1;
    // At least so many that the others find room among the children that are left. By fan_out that is so in teams of up
    // to 64; in large ones the last children get more than their rule says.
    const std::uint32_t least = (below + children - 1) / children;
    return rule.fan_out == cut_rule::one_producer ? least : std::max((below + 1) / rule.fan_out, least);
}

// That child, if the node has so many units, at least 1.
inline team_cut next_child(std::uint32_t below, detail::unit units, const cut_rule& rule,
                           std::uint32_t children) {
    const std::uint32_t members = next_members(below, rule, children);
    // The last member: the same as below, but without two divisions on the way to the first hand-off.
    if (below == 1 && rule.sixteenths == 0)
        return {1, units / 2};
    // In two steps: units may be as large as 2^64, and the product would overflow.
    const auto part = [units](detail::unit n, detail::unit of) {
        return units / of * n + units % of * n / of;
    };
    return {members, rule.sixteenths != 0 ? part(rule.sixteenths, 16) : part(members, below + 1)};
}

}  // namespace bough
