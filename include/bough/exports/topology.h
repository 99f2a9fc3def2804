#pragma once
// What the machine offers to this process (bough/topology.h). Behind it: src/entry/topology.cpp.

#include <cstddef>
#include <vector>

#include "../config.h"

namespace bough {

struct core_kind;
struct cpu_constraint;
struct numa_node;

// Nodes that hold a usable CPU, ascending by id; at least one entry. O(1).
BOUGH_EXPORT const std::vector<numa_node>& numa_nodes();

// Kinds that a usable CPU has, from the slowest to the fastest; at least one entry. O(1).
BOUGH_EXPORT const std::vector<core_kind>& core_kinds();

// The kernel's numbers of the usable CPUs that meet the constraint. A node or a kind that is not there, or less than
// one thread per core, is met by none. O(CPUs). Throws std::bad_alloc.
BOUGH_EXPORT std::vector<unsigned> cpus_of(const cpu_constraint& c);

// How many these are, at most the container's quota. O(CPUs). Throws std::bad_alloc.
BOUGH_EXPORT std::size_t usable_cpus(const cpu_constraint& c);

// Threads that a loop uses when nothing limits it: usable_cpus(), or what BOUGH_NUM_THREADS says. O(1).
BOUGH_EXPORT std::size_t default_concurrency();

}  // namespace bough
