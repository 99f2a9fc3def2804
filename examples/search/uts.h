#pragma once
// The trees of the Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006), with its parameters. A node is 20
// bytes, the SHA-1 of its parent's and of its number among the siblings; they decide how many children it has.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <bough/search.h>

#include "benchmarks/uts/sha1.h"

namespace searches {

struct uts {
    // The numbers are those of the original's options -t and -a.
    enum class tree { binomial = 0, geometric = 1, hybrid = 2 };
    enum class shape { linear = 0, expdec = 1, cyclic = 2, fixed = 3 };

    tree kind = tree::geometric;       // -t
    shape branching = shape::linear;   // -a
    double root_children = 4;          // -b
    unsigned depth = 6;                // -d
    std::uint32_t seed = 0;            // -r
    double probability = 15.0 / 64;    // -q: that a node of a binomial tree has children
    std::uint32_t inner_children = 4;  // -m
    double shift = 0.5;                // -f: a hybrid tree is geometric down to this part of its depth

    struct node {
        bench::digest state;
        std::uint32_t depth;
        std::uint32_t children;
    };

    class children {
    public:
        children(const uts& of, const node& n) : of_(of), parent_(n) {}
        std::size_t num_children() const { return parent_.children; }
        node next() {
            std::array<std::uint8_t, 24> message{};
            std::copy(parent_.state.begin(), parent_.state.end(), message.begin());
            put(message.data() + 20, made_++);
            return of_.make(bench::sha1(message), parent_.depth + 1);
        }

    private:
        const uts& of_;
        const node& parent_;
        std::uint32_t made_ = 0;
    };

    node root() const {
        std::array<std::uint8_t, 20> message{};
        put(message.data() + 16, seed);
        return make(bench::sha1(message), 0);
    }

private:
    static void put(std::uint8_t* to, std::uint32_t number) {
        for (int bits = 24; bits >= 0; bits -= 8)
            *to++ = static_cast<std::uint8_t>(number >> bits);
    }

    node make(const bench::digest& state, std::uint32_t at) const {
        const std::uint32_t number = std::uint32_t{state[16]} << 24 | std::uint32_t{state[17]} << 16 |
                                     std::uint32_t{state[18]} << 8 | state[19];
        return {state, at, number_of_children((number & 0x7fffffff) / 2147483648.0, at)};
    }

    std::uint32_t number_of_children(double uniform, std::uint32_t at) const {
        constexpr double most = 100;  // the original's
        if (kind == tree::binomial && at == 0)
            return static_cast<std::uint32_t>(root_children);
        if (kind == tree::binomial || (kind == tree::hybrid && at >= shift * depth))
            return uniform < probability ? inner_children : 0;
        const double p = 1 / (1 + expected_children(at));
        return static_cast<std::uint32_t>(
            std::min(most, std::floor(std::log(1 - uniform) / std::log(1 - p))));
    }

    double expected_children(std::uint32_t at) const {
        if (at == 0)
            return root_children;
        constexpr double pi = 3.141592653589793;
        const double part = static_cast<double>(at) / depth;
        switch (branching) {
        case shape::expdec:
            return root_children * std::pow(at, -std::log(root_children) / std::log(depth));
        case shape::cyclic:
            return at > 5 * depth ? 0 : std::pow(root_children, std::sin(2 * pi * at / depth));
        case shape::fixed:
            return at < depth ? root_children : 0;
        default:
            return root_children * (1 - part);
        }
    }
};

struct tree_size {
    std::uint64_t nodes = 0, leaves = 0;
    std::uint32_t depth = 0;

    void visit(const uts&, const uts::node& n, unsigned) {
        ++nodes;
        leaves += n.children == 0;
        depth = std::max(depth, n.depth);
    }
    void join(const tree_size& other) {
        nodes += other.nodes;
        leaves += other.leaves;
        depth = std::max(depth, other.depth);
    }
    friend bool operator==(const tree_size&, const tree_size&) = default;
};

struct named_tree {
    const char* name;
    uts parameters;
    tree_size size;  // as published with the original
};

inline const named_tree named_trees[] = {
    {"T1", {uts::tree::geometric, uts::shape::fixed, 4, 10, 19}, {4'130'071, 3'305'118, 10}},
    {"T5", {uts::tree::geometric, uts::shape::linear, 4, 20, 34}, {4'147'582, 2'181'318, 20}},
    {"T2", {uts::tree::geometric, uts::shape::cyclic, 6, 16, 502}, {4'117'769, 2'342'762, 81}},
    {"T3", {uts::tree::binomial, uts::shape::linear, 2000, 6, 42, 0.124875, 8}, {4'112'897, 3'599'034, 1572}},
    {"T4", {uts::tree::hybrid, uts::shape::linear, 6, 16, 1, 0.234375, 4}, {4'132'453, 3'108'986, 134}},
    {"T1L", {uts::tree::geometric, uts::shape::fixed, 4, 13, 29}, {102'181'082, 81'746'377, 13}},
    {"T2L", {uts::tree::geometric, uts::shape::cyclic, 7, 23, 220}, {96'793'510, 53'791'152, 67}},
    {"T3L",
     {uts::tree::binomial, uts::shape::linear, 2000, 6, 7, 0.200014, 5},
     {111'345'631, 89'076'904, 17844}},
};

inline const named_tree* find_tree(const std::string& name) {
    for (const named_tree& t : named_trees)
        if (name == t.name)
            return &t;
    return nullptr;
}

}  // namespace searches
