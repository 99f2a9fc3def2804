#pragma once
// The types with which task_arena, and runtimes that are built on bough, call arenas by pointer (exports/arenas.h).

#include <cstdint>
#include <vector>

#include "../exports/arenas.h"

namespace bough::detail {

enum class arena_priority : std::uint8_t { low, normal, high };
// What a thread may run while it waits for a loop or a group of tasks: anything in its arena, or only what descends
// from that loop or group.
enum class arena_waiting : std::uint8_t { by_environment, any, descendants };

struct arena_settings {
    int max_concurrency = -1;  // slots; -1: as many as there are threads by default
    unsigned reserved = 1;     // how many of the slots are kept for application threads
    arena_priority priority = arena_priority::normal;
    arena_waiting waiting = arena_waiting::by_environment;
    bool leaves_fast = false;    // idle workers do not wait for more work
    std::vector<unsigned> cpus;  // threads inside are bound to these; the kernel's numbers; empty: all CPUs
};

struct arena_function {
    void (*call)(void* data);
    void* data;
};

}  // namespace bough::detail
