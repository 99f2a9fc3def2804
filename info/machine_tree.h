#pragma once
// The machine as packages, caches, cores and CPUs, of the flat list that the runtime has. Pure.

#include <string>
#include <vector>

#include "machine/topology.h"

namespace bough::info {

struct core_branch {
    unsigned id;
    int kind;                    // as machine::cpu::kind
    std::vector<unsigned> cpus;  // the kernel's numbers
};

struct cache_branch {
    unsigned id;
    int node;  // the kernel's number of the NUMA node; -1: not known
    std::vector<core_branch> cores;
};

struct package_branch {
    unsigned id;
    std::vector<cache_branch> caches;
};

std::vector<package_branch> tree_of(const machine::topology& t);

// Of the cache that cache_branch stands for; 0: not known.
std::size_t cache_bytes(const machine::topology& t);

// Ascending numbers as taskset takes them: "0-3,8".
std::string list_of(const std::vector<unsigned>& numbers);

}  // namespace bough::info
