// bough/topology.h: counts over the topology that machine/ has read. These functions only read. The tables are never
// destroyed, since destructors of static objects may still ask for them.

#include "bough/topology.h"

#include <algorithm>
#include <map>

#include "machine/limits.h"
#include "machine/once.h"
#include "machine/topology.h"
#include "profile/tuning.h"

namespace bough {
namespace {

using machine::machine_topology;

// How many CPUs the container's quota leaves to the process; 0: no quota. A quota does not say which CPUs these are.
std::size_t quota() {
    static constinit machine::made_once<std::size_t> cpus;
    return cpus.get([] { return machine::cgroup_cpus(); });
}

std::size_t within_quota(std::size_t cpus) {
    return quota() == 0 ? cpus : std::min(cpus, quota());
}

std::vector<numa_node> count_nodes() {
    const machine::topology& t = machine_topology();
    std::vector<numa_node> result;
    for (const machine::node& n : t.nodes)
        result.push_back({n.id, n.os_index, 0});
    for (const machine::cpu& c : t.cpus)
        ++result[c.node].cpus;
    std::sort(result.begin(), result.end(),
              [](const numa_node& a, const numa_node& b) { return a.id < b.id; });
    return result;
}

// If the kind of one CPU is unknown, all CPUs are of one kind, with the id -1: a constraint could neither take in that
// CPU nor leave it out.
std::vector<core_kind> count_kinds() {
    std::map<int, std::size_t> cpus_by_kind;
    for (const machine::cpu& c : machine_topology().cpus)
        ++cpus_by_kind[c.kind];
    if (cpus_by_kind.count(cpu_constraint::any) != 0)
        return {{cpu_constraint::any, machine_topology().cpus.size()}};
    std::vector<core_kind> result;
    for (const auto& [kind, cpus] : cpus_by_kind)
        result.push_back({kind, cpus});
    return result;
}

bool is_on(const machine::cpu& c, int node) {
    return node == cpu_constraint::any || machine_topology().nodes[c.node].id == node;
}

bool is_one_of(const machine::cpu& c, const std::vector<int>& kinds) {
    const auto meets = [&](int kind) { return kind == cpu_constraint::any || kind == c.kind; };
    return kinds.empty() || std::any_of(kinds.begin(), kinds.end(), meets);
}

}  // namespace

const std::vector<numa_node>& numa_nodes() {
    static constinit machine::made_once<std::vector<numa_node>> nodes;
    machine_topology();  // before the process's lock (topology_lock)
    return nodes.get(count_nodes);
}

const std::vector<core_kind>& core_kinds() {
    static constinit machine::made_once<std::vector<core_kind>> kinds;
    machine_topology();  // as above
    return kinds.get(count_kinds);
}

std::vector<unsigned> cpus_of(const cpu_constraint& c) {
    std::map<unsigned, int> threads_on;  // hardware threads counted so far, by core
    std::vector<unsigned> result;
    for (const machine::cpu& cpu : machine_topology().cpus) {
        if (!is_on(cpu, c.numa_node) || !is_one_of(cpu, c.core_kinds))
            continue;
        if (c.max_threads_per_core == cpu_constraint::any || threads_on[cpu.core]++ < c.max_threads_per_core)
            result.push_back(cpu.os_index);
    }
    return result;
}

std::size_t usable_cpus(const cpu_constraint& c) {
    return within_quota(cpus_of(c).size());
}

std::size_t default_concurrency() {
    return std::max(1U, process_tuning().threads);
}

}  // namespace bough
