#pragma once
// The trees of the Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006): a node is 20 bytes, the SHA-1 of its
// parent's and of its number among the siblings; they decide how many children it has.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "common/runtime.h"
#include "uts/sha1.h"

namespace bench {

struct tree_node {
    digest state;
    unsigned depth = 0;

    // Uniform in [0, 1).
    double uniform() const {
        const std::uint32_t number = std::uint32_t{state[16]} << 24 | std::uint32_t{state[17]} << 16 |
                                     std::uint32_t{state[18]} << 8 | state[19];
        return (number & 0x7fffffff) / 2147483648.0;
    }

    tree_node child(std::uint32_t number) const {
        std::array<std::uint8_t, 24> message{};
        std::copy(state.begin(), state.end(), message.begin());
        put(message.data() + 20, number);
        return {sha1(message), depth + 1};
    }

    static tree_node root(std::uint32_t seed) {
        std::array<std::uint8_t, 20> message{};
        put(message.data() + 16, seed);
        return {sha1(message), 0};
    }

private:
    static void put(std::uint8_t* to, std::uint32_t number) {
        for (int shift = 24; shift >= 0; shift -= 8)
            *to++ = static_cast<std::uint8_t>(number >> shift);
    }
};

struct tree_size {
    std::uint64_t nodes = 0, leaves = 0;
    unsigned depth = 0;

    void add(const tree_size& other) {
        nodes += other.nodes;
        leaves += other.leaves;
        depth = std::max(depth, other.depth);
    }
    friend bool operator==(const tree_size&, const tree_size&) = default;
};

// Options of the original: -t1 -a3 -d DEPTH -b BRANCHING -r SEED.
struct geometric_tree {
    unsigned depth;
    double branching;
    std::uint32_t seed;

    index children(const tree_node& node) const {
        constexpr double most = 100;
        if (node.depth >= depth)
            return 0;
        const double p = 1 / (1 + branching);
        return static_cast<index>(std::min(most, std::floor(std::log(1 - node.uniform()) / std::log(1 - p))));
    }
};

// -t0 -b ROOT_CHILDREN -q PROBABILITY -m CHILDREN -r SEED.
struct binomial_tree {
    index root_children;
    double probability;
    index inner_children;
    std::uint32_t seed;

    index children(const tree_node& node) const {
        if (node.depth == 0)
            return root_children;
        return node.uniform() < probability ? inner_children : 0;
    }
};

}  // namespace bench
