#pragma once
// A machine as its file describes it: where its cores lie, and what things cost there. Read once, before the program
// starts; README.md names the fields.

#include <array>
#include <cstdint>
#include <string>

namespace simulate {

using picoseconds = std::uint64_t;
constexpr picoseconds ns = 1000, us = 1000 * ns, ms = 1000 * us;
constexpr picoseconds never = ~picoseconds{0};

// How far a line travels.
enum distance { same_core, same_cache, same_package, other_package, distances };

struct prices {
    picoseconds instruction;  // of a basic block, on average
    picoseconds locked;       // an atomic read-modify-write on a line that the core owns
    picoseconds full_fence;
    picoseconds pause;
    picoseconds clock_read;                    // of the counter
    picoseconds clock_call;                    // of the system's clocks
    std::array<picoseconds, distances> read;   // of a line that another core holds
    std::array<picoseconds, distances> write;  // so that the line is this core's alone
    picoseconds memory;                        // a line that no core holds
    picoseconds stream;                        // the same, of a row that the prefetcher follows
    picoseconds shared_read;                   // after this much the next reader of the same line is served
    picoseconds store_window;                  // a core waits when its stores are this far behind
    picoseconds system_call;
    picoseconds futex_wake;  // what the waker pays for each thread
    picoseconds wake_up;     // from there until the thread runs
    picoseconds change_of_threads;
    picoseconds thread_start;
    picoseconds membarrier;  // what the caller pays
    picoseconds interrupt;   // what each other running core pays
    picoseconds time_slice;
};

struct description {
    std::string name;
    unsigned packages = 1, nodes_per_package = 1, caches_per_node = 1, cores_per_cache = 1;
    double ticks_per_ns = 1;  // of the counter that programs read
    prices price{};
    unsigned first_slow = 1,
             last_slow = 0;  // cores on which computing takes slow_factor times as long; here none
    double slow_factor = 1;

    unsigned cores() const { return packages * nodes_per_package * caches_per_node * cores_per_cache; }
    distance between(unsigned a, unsigned b) const {
        if (a == b)
            return same_core;
        if (a / cores_per_cache == b / cores_per_cache)
            return same_cache;
        const unsigned in_package = nodes_per_package * caches_per_node * cores_per_cache;
        return a / in_package == b / in_package ? same_package : other_package;
    }
    // What an instruction of a basic block costs there.
    picoseconds instruction_on(unsigned core) const;
    // As hwloc reads it from HWLOC_SYNTHETIC.
    std::string for_hwloc() const;
};

// Ends the program (refuse.h) when the file cannot be read, or says something that makes no sense. `factor` multiplies
// what lines cost on their way between cores.
description read_description(const char* path, double factor);

}  // namespace simulate
