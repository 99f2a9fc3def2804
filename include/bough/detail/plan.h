#pragma once
// What each partitioner means for a range: how the range is cut, into how many units at most, and how units reach the
// body.

#include <cstdint>
#include <type_traits>

#include "../morsel.h"
#include "../partitioner.h"
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

template <class Range>
using cut_of = std::conditional_t<is_morsel_range<Range>::value, morsel_cut<Range>, cut_for<Range>>;

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
