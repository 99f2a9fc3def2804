// Constraints of arenas: which of them count on this machine, and which threads and CPUs an arena gets by them.

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "bough/detail/bounds.h"
#include "bough/exports/constraints.h"
#include "bough/topology.h"

namespace bough {
namespace {

constexpr int any = cpu_constraint::any;

template <class Things>
bool holds(const Things& things, int id) {
    return std::any_of(things.begin(), things.end(), [id](const auto& thing) { return thing.id == id; });
}

void complain_once(const char* field, int value, const char* allowed) {
    static std::atomic<bool> told{false};
    if (!told.exchange(true, std::memory_order_relaxed))
        std::fprintf(stderr, "bough: constraints of an arena: %s is %d; allowed are -1 and %s; -1 is used\n",
                     field, value, allowed);
}

int known_node(int id) {
    if (id == any || holds(numa_nodes(), id))
        return id;
    complain_once("numa_id", id, "what info::numa_nodes() returns");
    return any;
}

int sensible_threads_per_core(int threads) {
    if (threads == any || threads > 0)
        return threads;
    complain_once("max_threads_per_core", threads, "1 and more");
    return any;
}

// Of several kinds, only those that exist on this machine count.
std::vector<int> known_kinds(std::vector<int> kinds) {
    if (kinds.empty() || std::find(kinds.begin(), kinds.end(), any) != kinds.end())
        return {};
    const int first = kinds.front();
    kinds.erase(std::remove_if(kinds.begin(), kinds.end(), [](int id) { return !holds(core_kinds(), id); }),
                kinds.end());
    if (kinds.empty())
        complain_once("core_type", first, "what info::core_types() returns");
    return kinds;
}

cpu_constraint known(const cpu_constraint& c) {
    return {known_node(c.numa_node), known_kinds(c.core_kinds),
            sensible_threads_per_core(c.max_threads_per_core)};
}

bool says_nothing(const cpu_constraint& c) {
    return c.numa_node == any && c.core_kinds.empty() && c.max_threads_per_core == any;
}

}  // namespace

namespace detail {

// At least one thread, also if a node has no core of the wanted kind: some thread must do the work. Never more threads
// than the process has (BOUGH_NUM_THREADS): a program that waits until so many threads run would wait for ever.
int concurrency_for(const cpu_constraint& c) {
    const cpu_constraint that_counts = known(c);
    const std::size_t threads = default_concurrency(),
                      cpus = says_nothing(that_counts) ? threads : usable_cpus(that_counts);
    return static_cast<int>(std::clamp<std::size_t>(std::min(cpus, threads), 1, most_threads));
}

std::vector<unsigned> cpus_to_bind_to(const cpu_constraint& c) {
    const cpu_constraint that_counts = known(c);
    return says_nothing(that_counts) ? std::vector<unsigned>{} : cpus_of(that_counts);
}

}  // namespace detail
}  // namespace bough
