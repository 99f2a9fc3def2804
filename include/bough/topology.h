#pragma once
// What the machine offers to this process: NUMA nodes, kinds of core, and how many CPUs meet a constraint. The first
// call reads the machine (about 3 ms; it may throw std::bad_alloc). The affinity mask and the container's CPU quota
// count as they were then, or at the first loop if a loop ran before. All functions are thread-safe and only read; they
// start no threads. If hwloc knows nothing of the machine (BOUGH_FAKE_CPUS, a sandbox), the machine counts as one node
// and one kind of core, both with the id -1.

#include <cstddef>
#include <vector>

#include "exports/topology.h"

namespace bough {

struct numa_node {
    int id;             // for constraints: hwloc's logical number; only -1: the nodes are not known
    unsigned os_index;  // the kernel's number, as mbind() and numactl take it
    std::size_t cpus;   // usable CPUs on it, at least 1
};

struct core_kind {
    int id;            // 0 is the slowest kind of the machine; only -1: the kinds are not known
    std::size_t cpus;  // usable CPUs of that kind, at least 1
};

struct cpu_constraint {
    static constexpr int any = -1;

    int numa_node = any;
    std::vector<int> core_kinds{};   // one of these; empty, or with `any` in it: every kind
    int max_threads_per_core = any;  // how many hardware threads count on a physical core
};

// numa_nodes(), core_kinds(), cpus_of(), usable_cpus() and default_concurrency() are declared in exports/topology.h.
// Without a constraint usable_cpus() counts all usable CPUs.
std::size_t usable_cpus(const cpu_constraint& c = {});

}  // namespace bough
