#pragma once
// oneTBB's names for the functions of topology.h, and the constraints of a task_arena. All functions are thread-safe.
// The first call that asks for nodes, kinds or CPUs reads the machine (about 3 ms).

#include <vector>

#include "config.h"
#include "exports/constraints.h"
#include "topology.h"

namespace bough {

using numa_node_id = int;  // bough::numa_node::id
using core_type_id = int;  // bough::core_kind::id, 0 the slowest

namespace detail {

// task_arena::constraints: how many threads an arena has, and to which CPUs they are bound. A field of -1
// (task_arena::automatic) constrains nothing. Ids are those that info::numa_nodes() and info::core_types() return. A
// field that the machine cannot meet counts as -1; for the first such field in the process bough prints one line on
// stderr.
struct arena_constraints {
#if !BOUGH_PARENTHESES_MAKE_AGGREGATES
    arena_constraints(numa_node_id id = -1, int maximal_concurrency = -1)
        : numa_id(id), max_concurrency(maximal_concurrency) {}
#endif

    arena_constraints& set_numa_id(numa_node_id id) {
        numa_id = id;
        return *this;
    }
    arena_constraints& set_max_concurrency(int maximal_concurrency) {
        max_concurrency = maximal_concurrency;
        return *this;
    }
    arena_constraints& set_core_type(core_type_id id) {
        core_type = id;
        return *this;
    }
    arena_constraints& set_max_threads_per_core(int threads) {
        max_threads_per_core = threads;
        return *this;
    }

    numa_node_id numa_id = -1;
    int max_concurrency = -1;  // slots; -1: as many as there are CPUs that meet the other fields
    core_type_id core_type = -1;
    int max_threads_per_core = -1;  // hardware threads of a physical core that are used
};

inline cpu_constraint cpus_under(const arena_constraints& c) {
    cpu_constraint result;
    result.numa_node = c.numa_id;
    if (c.core_type != cpu_constraint::any)
        result.core_kinds = {c.core_type};
    result.max_threads_per_core = c.max_threads_per_core;
    return result;
}

}  // namespace detail

namespace info {

// Ids of the nodes that hold a usable CPU, ascending; only -1 if the nodes are not known. Throws std::bad_alloc.
inline std::vector<numa_node_id> numa_nodes() {
    std::vector<numa_node_id> ids;
    for (const numa_node& node : bough::numa_nodes())
        ids.push_back(node.id);
    return ids;
}

// Ids of the kinds of core that a usable CPU has, from the slowest to the fastest; only -1 if the kinds are not known.
// Throws std::bad_alloc.
inline std::vector<core_type_id> core_types() {
    std::vector<core_type_id> ids;
    for (const core_kind& kind : bough::core_kinds())
        ids.push_back(kind.id);
    return ids;
}

// How many slots a task_arena with these constraints has. Without constraints: bough::default_concurrency(). Throws
// std::bad_alloc.
inline int default_concurrency(const detail::arena_constraints& c) {
    return c.max_concurrency > 0 ? c.max_concurrency : detail::concurrency_for(detail::cpus_under(c));
}
// The same for an arena that is only bound to a node; -1: without constraints.
inline int default_concurrency(numa_node_id id = -1) {
    return detail::concurrency_for({id, {}, cpu_constraint::any});
}

}  // namespace info
}  // namespace bough
