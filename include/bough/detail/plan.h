#pragma once
// What each partitioner means for a range: how the range is cut, into how many units at most, and how units reach the
// body.

#include <cstdint>
#include <type_traits>

#include "../morsel.h"
#include "../partitioner.h"
#include "morsel_cut.h"
#include "range_cut.h"

namespace bough::detail {

inline constexpr unit no_limit = ~unit{0};

template <class Partitioner>
struct plan_for;

template <>
struct plan_for<auto_partitioner> {
    static constexpr delivery how = delivery::merged;
    static constexpr balance mode = balance::adaptive;
    static constexpr bool indivisible = false;
    static unit limit(const auto_partitioner&) { return no_limit; }
};

template <>
struct plan_for<affinity_partitioner> : plan_for<auto_partitioner> {
    static unit limit(const affinity_partitioner&) { return no_limit; }
};

// Its cut asks the partitioner itself how large a unit is.
template <>
struct plan_for<morsel_partitioner> {
    static constexpr delivery how = delivery::single;
    static constexpr balance mode = balance::adaptive;
    static constexpr bool indivisible = false;
    static const morsel_partitioner& limit(const morsel_partitioner& p) { return p; }
};

template <>
struct plan_for<simple_partitioner> {
    static constexpr delivery how = delivery::single;
    static constexpr balance mode = balance::single;
    static constexpr bool indivisible = true;
    static unit limit(const simple_partitioner&) { return no_limit; }
};

template <>
struct plan_for<static_partitioner> {
    static constexpr delivery how = delivery::single;
    static constexpr balance mode = balance::fixed;
    static constexpr bool indivisible = false;
    static unit limit(const static_partitioner&) { return concurrency(); }
};

template <class Range>
struct is_morsel_range : std::false_type {};
template <class T>
struct is_morsel_range<morsel_range<T>> : std::true_type {};

template <class Range, class Partitioner>
using cut_of =
    std::conditional_t<std::is_same_v<Partitioner, morsel_partitioner>, morsel_index_cut<Range>,
                       std::conditional_t<is_morsel_range<Range>::value, morsel_cut<Range>, cut_for<Range>>>;

// What the partitioner remembers of its last loop; null: nothing.
template <class Partitioner>
chunk_map* map_of(Partitioner& p) {
    if constexpr (std::is_same_v<Partitioner, affinity_partitioner>)
        return &p.map();
    else if constexpr (std::is_same_v<std::remove_const_t<Partitioner>, morsel_partitioner>)
        return p.map();
    else
        return nullptr;
}

// Calls body(piece) for units [first, last) of the cut as the partitioner demands. If each piece is a call of its own,
// no piece begins after the job was stopped.
template <class Plan, class Cut, class Body>
void deliver_units(const Cut& cut, unit first, unit last, const cancel_node& scope, Body&& body) {
    const auto deliver = [&](auto& piece) {
        body(piece);
        return Plan::how == delivery::merged || !scope.is_stopped();
    };
    if constexpr (Plan::indivisible)
        cut.visit(Plan::how, first, last, [&](auto& piece) { return deliver_indivisible(piece, deliver); });
    else
        cut.visit(Plan::how, first, last, deliver);
}

}  // namespace bough::detail
