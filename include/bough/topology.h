#pragma once
// What the machine offers to this process: NUMA nodes, kinds of core, and how many CPUs meet a constraint. Read once,
// at the first call (about 3 ms, or std::bad_alloc); what holds then is what the affinity mask and the container's CPU
// quota said then, or at the first loop before it. All functions are thread-safe and only read; they start no threads.
// Without hwloc's knowledge (BOUGH_FAKE_CPUS, a sandbox) the machine is one node and one kind of core, both with the id
// -1.

#include <cstddef>
#include <vector>

#include "config.h"

namespace bough {

struct numa_node {
    int id;             // what a constraint names: hwloc's logical number; -1 alone: the nodes are not known
    unsigned os_index;  // the kernel's number, as mbind() and numactl take it
    std::size_t cpus;   // usable CPUs on it, at least 1
};

struct core_kind {
    int id;            // 0 is the slowest kind of the machine; -1 alone: no kinds are told apart
    std::size_t cpus;  // usable CPUs of that kind, at least 1
};

struct cpu_constraint {
    static constexpr int any = -1;

    int numa_node = any;
    std::vector<int> core_kinds{};   // any of these; empty, or with `any` in it: every kind
    int max_threads_per_core = any;  // hardware threads counted per physical core
};

// Nodes that hold a usable CPU, ascending by id; at least one entry. O(1).
BOUGH_EXPORT const std::vector<numa_node>& numa_nodes();

// Kinds that a usable CPU has, from the slowest to the fastest; at least one entry. O(1).
BOUGH_EXPORT const std::vector<core_kind>& core_kinds();

// The kernel's numbers of the usable CPUs that meet the constraint. A node or a kind that is not there, or less than
// one thread per core, is met by none. O(CPUs). Throws std::bad_alloc.
BOUGH_EXPORT std::vector<unsigned> cpus_of(const cpu_constraint& c);

// How many these are, at most the container's quota. O(CPUs). Throws std::bad_alloc.
BOUGH_EXPORT std::size_t usable_cpus(const cpu_constraint& c = {});

// Threads that a loop uses when nothing limits it: usable_cpus(), or what BOUGH_NUM_THREADS says. O(1).
BOUGH_EXPORT std::size_t default_concurrency();

}  // namespace bough
