#pragma once
// The CPUs that the machine offers to this process (bough/topology.h). Behind it: src/entry/topology.cpp.

#include <cstddef>
#include <vector>

#include "../config.h"

namespace bough {

struct core_kind;
struct cpu_constraint;
struct numa_node;

// The NUMA nodes that hold a usable CPU, ascending by id; at least one entry. O(1).
BOUGH_EXPORT const std::vector<numa_node>& numa_nodes();

// The kinds of core that a usable CPU has, from the slowest to the fastest; at least one entry. O(1).
BOUGH_EXPORT const std::vector<core_kind>& core_kinds();

// The kernel's numbers of the usable CPUs that meet the constraint. No CPU meets a node or a kind that does not exist,
// or less than one thread per core. O(CPUs). Throws std::bad_alloc.
BOUGH_EXPORT std::vector<unsigned> cpus_of(const cpu_constraint& c);

// How many CPUs meet the constraint, but at most the container's quota. O(CPUs). Throws std::bad_alloc.
BOUGH_EXPORT std::size_t usable_cpus(const cpu_constraint& c);

// How many threads a loop uses if nothing limits it: usable_cpus(), or what BOUGH_NUM_THREADS says. O(1).
BOUGH_EXPORT std::size_t default_concurrency();

}  // namespace bough
