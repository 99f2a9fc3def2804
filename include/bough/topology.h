#pragma once
// What the machine offers to this process: NUMA nodes, kinds of core, and how many CPUs meet a constraint. Read once,
// at the first call (about 3 ms, or std::bad_alloc); what holds then is what the affinity mask and the container's CPU
// quota said then, or at the first loop before it. All functions are thread-safe and only read; they start no threads.
// Without hwloc's knowledge (BOUGH_FAKE_CPUS, a sandbox) the machine is one node and one kind of core, both with the id
// -1.

#include <cstddef>
#include <vector>

#include "exports/topology.h"

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

// numa_nodes(), core_kinds(), cpus_of(), usable_cpus() and default_concurrency() are declared in exports/topology.h.
// Without a constraint usable_cpus() counts all.
std::size_t usable_cpus(const cpu_constraint& c = {});

}  // namespace bough
