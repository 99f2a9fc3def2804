#pragma once
// From what each process has found to what all have: the joined values of an enumeration, the best node of a search for
// the best. All processes get the same. The threads of the search calls call it.

#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "outside.h"
#include "packing.h"

namespace bough::search::detail {

template <class Monoid>
Monoid join_all(outside_work& outside, const Monoid& mine) {
    byte_string packed;
    pack_node(mine, packed);
    const byte_string all = outside.merge(std::move(packed), [](byte_string& into, const byte_string& from) {
        auto sum = unpack_node<Monoid>(into.data(), into.size());
        sum.join(unpack_node<Monoid>(from.data(), from.size()));
        byte_string joined;  // a new one: gcc 12 warns of a pack() that inserts into a cleared one
        pack_node(sum, joined);
        into = std::move(joined);
    });
    return unpack_node<Monoid>(all.data(), all.size());
}

template <class Node>
struct best_node {
    std::optional<Node> node;
    std::int64_t key = 0;  // higher is better
};

// Before the bytes of a node: how good it is, and who has found it.
struct best_label {
    std::int64_t key;
    std::int32_t rank;

    static best_label of(const byte_string& b) {
        best_label l;
        std::memcpy(&l, b.data(), sizeof l);
        return l;
    }
    bool is_better_than(const best_label& other) const {
        return key != other.key ? key > other.key : rank < other.rank;
    }
};

// Of equally good nodes that of the lowest rank. No node: no process has one.
template <class Node>
best_node<Node> best_of_all(outside_work& outside, const std::optional<Node>& mine, std::int64_t key) {
    byte_string packed;
    if (mine) {
        const best_label label{key, outside.rank()};
        packed.resize(sizeof label);
        std::memcpy(packed.data(), &label, sizeof label);
        pack_node(*mine, packed);
    }
    const byte_string best = outside.merge(std::move(packed), [](byte_string& into, const byte_string& from) {
        if (into.empty() || (!from.empty() && best_label::of(from).is_better_than(best_label::of(into))))
            into = from;
    });
    if (best.empty())
        return {};
    return {unpack_node<Node>(best.data() + sizeof(best_label), best.size() - sizeof(best_label)),
            best_label::of(best).key};
}

}  // namespace bough::search::detail
