#pragma once
// What lies near what: from hwloc, once. Where hwloc fails (one line on stderr): the affinity mask, flat.

#include <cstddef>
#include <vector>

namespace bough::machine {

struct cpu {
    unsigned os_index;
    unsigned core;         // logical numbers, dense, of the physical core,
    unsigned cache;        // of the last-level cache,
    unsigned node;         // and of the NUMA node that hold this CPU
    int kind = -1;         // hwloc's rank of this sort of core, 0 the slowest; -1 where ranks are unknown
    unsigned package = 0;  // logical number, dense, of the socket
};

struct node {
    int id;  // hwloc's logical number; -1 where the machine's nodes are not known
    unsigned os_index;
};

struct topology {
    std::vector<cpu> cpus;    // the usable ones, neighbours adjacent
    std::vector<node> nodes;  // by cpu::node: those that hold a usable CPU, at least one
    std::size_t l1_bytes;
    std::size_t l2_bytes;
    std::size_t l3_bytes;
    std::size_t line_bytes;
    unsigned cache_level;  // of cpu::cache, as the first CPU has it: 3 for an L3; 0: not known
    bool from_hwloc;
};

// Thread-safe; the first call costs some ms. BOUGH_FAKE_CPUS=N (tests) makes N flat CPUs.
const topology& machine_topology();

// machine_topology().cpus.size(), without the wait. Whichever is called first decides which CPUs are usable.
std::size_t cpu_count();

// OS numbers of the CPUs that a worker may run on: those of the process when bough was first used, whatever its threads
// have been bound to since. In a child process, which may have been given others: those of its main thread now.
std::vector<unsigned> cpus_for_workers();

// 0 same core, 1 same last-level cache, 2 same node, 3 elsewhere. Pure.
unsigned distance(const cpu& a, const cpu& b) noexcept;

}  // namespace bough::machine
