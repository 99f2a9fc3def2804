#pragma once
// What lies near what: from hwloc, once. Where hwloc fails (one line on stderr): the affinity mask, flat.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace bough::machine {

struct cpu {
    unsigned os_index;
    unsigned core;         // logical numbers, dense, of the physical core,
    unsigned cache;        // of the last-level cache,
    unsigned node;         // and of the NUMA node that hold this CPU
    int kind = -1;         // hwloc's rank of this sort of core, 0 the slowest; -1 where ranks are unknown
    unsigned package = 0;  // logical number, dense, of the socket
    float speed = 1;       // of the fastest CPU's; 1 where speeds are unknown or nearly equal
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

    // A CPU's place in `cpus`, by the system's number; `nowhere` if the CPU is not usable.
    static constexpr unsigned nowhere = ~0U;
    unsigned place_of(unsigned os_index) const {
        return os_index < place_by_number.size() ? place_by_number[os_index] : nowhere;
    }
    // The first place of those that share a last-level cache with this one.
    unsigned first_beside(unsigned place) const {
        while (place != 0 && cpus[place - 1].cache == cpus[place].cache)
            --place;
        return place;
    }
    // Does one CPU lie nearer than another one (threads of one core aside), or compute faster?
    bool is_uneven() const { return cpus.front().cache != cpus.back().cache || has_speeds; }

    bool has_speeds = false;  // CPUs differ in speed
    std::vector<unsigned> place_by_number;
};

// Thread-safe; the first call costs some ms. BOUGH_FAKE_CPUS=N (tests) makes N flat CPUs.
const topology& machine_topology();

// Reads it, unless that has been done, and keeps silent where hwloc fails. For a thread that has time. Throws
// std::bad_alloc.
void read_topology();

// Held while the topology is read: hwloc opens plug-ins, for which it takes the loader's lock, and a thread that has
// that one may want the process's (once.h). fork() takes it, before the process's. So whoever has the process's lock
// asks for the topology only if it has been read.
std::mutex& topology_lock() noexcept;
void begin_topology_lock_in_child() noexcept;

// What lies near what, for the scheduler: null until some thread has read it, and where all CPUs share a cache and are
// equally fast. A hint for the price of a load.
extern std::atomic<const topology*> the_uneven_topology;
inline const topology* uneven_topology() noexcept {
    // acquire: pairs with the store after it was read.
    return the_uneven_topology.load(std::memory_order_acquire);
}
// The same, null where they are equally fast.
inline const topology* topology_with_speeds() noexcept {
    const topology* const t = uneven_topology();
    return t && t->has_speeds ? t : nullptr;
}

// machine_topology().cpus.size(), without the wait. Whichever is called first decides which CPUs are usable.
std::size_t cpu_count();

// OS numbers of the CPUs that a worker may run on: those of the process when bough was first used, whatever its threads
// have been bound to since. In a child process, which may have been given others: those of its main thread now.
std::vector<unsigned> cpus_for_workers();

// 0 same core, 1 same last-level cache, 2 same node, 3 elsewhere. Pure.
inline constexpr unsigned farthest = 3;
unsigned distance(const cpu& a, const cpu& b) noexcept;
// The same for CPUs by the system's numbers; the farthest if one of them is not usable.
unsigned distance_between(const topology& t, unsigned os_a, unsigned os_b) noexcept;

}  // namespace bough::machine
