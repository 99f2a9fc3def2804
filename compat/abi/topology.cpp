// info.h: NUMA nodes, kinds of core and the CPUs for a constraint, from bough/topology.h. Ids are oneTBB's: hwloc's
// logical number of a node, hwloc's rank of a kind of core, -1 alone where they are not known.
// A constraint that the machine cannot meet (oneTBB ends the process) counts as not given, with one line on stderr.

#include <oneapi/tbb/info.h>

#include <algorithm>
#include <atomic>
#include <bough/topology.h>
#include <cstdio>

#include "constraints.h"
#include "newer.h"

namespace tbb::detail::r1 {
namespace {

constexpr int automatic = -1;
static_assert(bough::cpu_constraint::any == automatic);
static_assert(sizeof(d1::constraints) == 4 * sizeof(int),
              "binaries built with older headers pass these four fields");

template <typename Things>
bool holds(const Things& things, int id) {
    return std::any_of(things.begin(), things.end(), [id](const auto& thing) { return thing.id == id; });
}

void complain_once(const char* field, int value, const char* allowed) {
    static std::atomic<bool> told{false};
    if (!told.exchange(true, std::memory_order_relaxed))
        std::fprintf(stderr, "bough: tbb constraints: %s is %d; allowed are -1 and %s; -1 is used\n", field,
                     value, allowed);
}

int known_node(int id) {
    if (id == automatic || holds(bough::numa_nodes(), id))
        return id;
    complain_once("numa_id", id, "what tbb::info::numa_nodes() returns");
    return automatic;
}

int sensible_threads_per_core(int threads) {
    if (threads == automatic || threads > 0)
        return threads;
    complain_once("max_threads_per_core", threads, "1 and more");
    return automatic;
}

// One id, or several packed into one number by the core type selector. Of several, those that exist count.
std::vector<int> known_kinds(int packed) {
    if (packed == automatic)
        return {};
    std::vector<int> kinds = bough::compat::abi::core_type_set::decode(packed);
    kinds.erase(
        std::remove_if(kinds.begin(), kinds.end(), [](int id) { return !holds(bough::core_kinds(), id); }),
        kinds.end());
    if (kinds.empty())
        complain_once("core_type", packed, "what tbb::info::core_types() returns");
    return kinds;
}

bough::cpu_constraint known(const d1::constraints& c) {
    return {known_node(c.numa_id), known_kinds(c.core_type),
            sensible_threads_per_core(c.max_threads_per_core)};
}

bool says_nothing(const bough::cpu_constraint& c) {
    return c.numa_node == automatic && c.core_kinds.empty() && c.max_threads_per_core == automatic;
}

// A node without a single core of the wanted kind: one thread all the same, since work must be done somewhere.
int cpus_for(const bough::cpu_constraint& c) {
    const std::size_t cpus = says_nothing(c) ? bough::default_concurrency() : bough::usable_cpus(c);
    return static_cast<int>(std::max<std::size_t>(1, cpus));
}

}  // namespace

unsigned numa_node_count() {
    return static_cast<unsigned>(bough::numa_nodes().size());
}

void fill_numa_indices(int* index_array) {
    for (const bough::numa_node& node : bough::numa_nodes())
        *index_array++ = node.id;
}

int numa_default_concurrency(int numa_id) {
    return cpus_for({known_node(numa_id), {}, automatic});
}

unsigned core_type_count(std::intptr_t) {
    return static_cast<unsigned>(bough::core_kinds().size());
}

void fill_core_type_indices(int* index_array, std::intptr_t) {
    for (const bough::core_kind& kind : bough::core_kinds())
        *index_array++ = kind.id;
}

int constraints_default_concurrency(const d1::constraints& c, std::intptr_t) {
    return cpus_for(known(c));
}

// oneTBB keeps this entry point for later and says "automatic", whatever the constraint; no header calls it.
int constraints_threads_per_core(const d1::constraints&, std::intptr_t) {
    return automatic;
}

}  // namespace tbb::detail::r1

namespace bough::compat::abi {

std::vector<unsigned> cpus_to_bind_to(const tbb::detail::d1::constraints& c) {
    const bough::cpu_constraint constraint = tbb::detail::r1::known(c);
    return tbb::detail::r1::says_nothing(constraint) ? std::vector<unsigned>{} : bough::cpus_of(constraint);
}

}  // namespace bough::compat::abi
