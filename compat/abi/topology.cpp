// info.h: NUMA nodes, kinds of core and the CPUs for a constraint, from bough/topology.h. Ids are oneTBB's: hwloc's
// logical number of a node, hwloc's rank of a kind of core, -1 alone where they are not known.
// A constraint that the machine cannot meet (oneTBB ends the process) counts as not given, with one line on stderr.

#include <oneapi/tbb/info.h>

#include <bough/exports/constraints.h>
#include <bough/topology.h>

#include "constraints.h"
#include "newer.h"

namespace tbb::detail::r1 {

constexpr int automatic = -1;
static_assert(bough::cpu_constraint::any == automatic);
static_assert(sizeof(d1::constraints) == 4 * sizeof(int),
              "binaries built with older headers pass these four fields");

unsigned numa_node_count() {
    return static_cast<unsigned>(bough::numa_nodes().size());
}

void fill_numa_indices(int* index_array) {
    for (const bough::numa_node& node : bough::numa_nodes())
        *index_array++ = node.id;
}

int numa_default_concurrency(int numa_id) {
    return bough::detail::concurrency_for({numa_id, {}, automatic});
}

unsigned core_type_count(std::intptr_t) {
    return static_cast<unsigned>(bough::core_kinds().size());
}

void fill_core_type_indices(int* index_array, std::intptr_t) {
    for (const bough::core_kind& kind : bough::core_kinds())
        *index_array++ = kind.id;
}

int constraints_default_concurrency(const d1::constraints& c, std::intptr_t) {
    return bough::detail::concurrency_for(bough::compat::abi::cpus_under(c));
}

// oneTBB keeps this entry point for later and says "automatic", whatever the constraint; no header calls it.
int constraints_threads_per_core(const d1::constraints&, std::intptr_t) {
    return automatic;
}

}  // namespace tbb::detail::r1
