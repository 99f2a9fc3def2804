#pragma once
// Where virtual time goes: waits for cache lines, by line and by the place in the program; what each thread did when.
// Kept only where SIMULATE_TRACE names a file, and apart from the program's memory: a traced run takes the course of
// the same run without. Addresses are turned into names by trace.py.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "apart.h"
#include "description.h"

namespace simulate {

class trace {
public:
    // `path` lives as long.
    trace(const char* path, picoseconds from, picoseconds to) : path_(path), from_(from), to_(to) {}

    // A thread waited for a line.
    void wait(unsigned thread, std::uintptr_t address, const void* site, picoseconds began,
              picoseconds ended);
    // A thread ran on a core, or slept: where, the innermost call first.
    using calls = std::array<const void*, 10>;
    void state(unsigned thread, const char* what, unsigned core, const calls& where, picoseconds began,
               picoseconds ended);
    // Of the calling thread, by frame pointers.
    static calls calls_here(const char* top_of_stack);
    // JSON; the threads' names by their number.
    void write(const std::vector<std::string>& threads, picoseconds end) const;

private:
    struct place {
        std::uint64_t times = 0;
        picoseconds waited = 0;
    };
    struct line {
        place all;
        std::unordered_map<const void*, place, std::hash<const void*>, std::equal_to<>,
                           apart_allocator<std::pair<const void* const, place>>>
            sites;
    };
    struct event {
        unsigned thread, core;
        const char* what;  // null: waits for the line of `address`, at `site`
        picoseconds began, ended;
        std::uintptr_t address;
        const void* site;
        calls where;
    };
    bool shows(picoseconds began, picoseconds ended) const { return ended > from_ && began < to_; }

    const char* path_;
    picoseconds from_, to_;
    std::map<std::uintptr_t, line, std::less<>, apart_allocator<std::pair<const std::uintptr_t, line>>>
        lines_;
    std::vector<event, apart_allocator<event>> events_;
    std::vector<picoseconds, apart_allocator<picoseconds>> waited_;  // by thread
};

// What was allocated, and by which calls, innermost first. Addresses only grow old: freed blocks are forgotten.
struct allocation {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::array<const void*, 4> calls{};
};
// Null: none holds this address, or nothing is traced.
const allocation* allocation_at(std::uintptr_t address);
void trace_allocations();
void end_tracing_allocations();

}  // namespace simulate
