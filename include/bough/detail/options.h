#pragma once
// The optional last arguments of every algorithm: [partitioner][, task_group_context&].

#include <type_traits>

#include "../context.h"
#include "../morsel.h"
#include "../partitioner.h"

namespace bough::detail {

template <class P>
inline constexpr bool is_partitioner =
    std::is_same_v<P, auto_partitioner> || std::is_same_v<P, simple_partitioner> ||
    std::is_same_v<P, static_partitioner> || std::is_same_v<P, affinity_partitioner> ||
    std::is_same_v<P, morsel_partitioner>;

// Options are the types as they were passed. An affinity_partitioner must be a variable, no temporary object.
template <class... Options>
constexpr void check_options() {
    static_assert((!std::is_same_v<Options, affinity_partitioner> && ...),
                  "bough: an affinity_partitioner must outlive the call: pass a variable");
}

// Calls go(partitioner, context or null).
template <class Go>
decltype(auto) with_options(Go&& go) {
    const auto_partitioner p;
    return go(p, static_cast<task_group_context*>(nullptr));
}

template <class Go, class First, class... Rest>
decltype(auto) with_options(Go&& go, First& first, Rest&... rest) {
    if constexpr (std::is_same_v<First, task_group_context>) {
        static_assert(sizeof...(Rest) == 0, "bough: the context is the last argument");
        const auto_partitioner p;
        return go(p, &first);
    } else {
        static_assert(
            is_partitioner<std::remove_const_t<First>>,
            "bough: allowed here are a partitioner (auto, simple, static, affinity, morsel) and then a "
            "task_group_context");
        static_assert(!std::is_same_v<First, const affinity_partitioner>,
                      "bough: an affinity_partitioner is changed by the loop and cannot be const");
        static_assert(sizeof...(Rest) <= 1 && (std::is_same_v<Rest, task_group_context> && ...),
                      "bough: after the partitioner only a task_group_context is allowed");
        if constexpr (sizeof...(Rest) == 1)
            return go(first, &(rest, ...));
        else
            return go(first, static_cast<task_group_context*>(nullptr));
    }
}

}  // namespace bough::detail
