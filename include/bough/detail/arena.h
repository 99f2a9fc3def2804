#pragma once
// Arenas by pointer: what task_arena, and runtimes that stand on bough, call them with.

#include <cstdint>
#include <vector>

#include "../exports/arenas.h"

namespace bough::detail {

enum class arena_priority : std::uint8_t { low, normal, high };
// What a thread may run while it waits for a loop or a group of tasks: anything of its arena, or what descends from
// what it waits for.
enum class arena_waiting : std::uint8_t { by_environment, any, descendants };

struct arena_settings {
    int max_concurrency = -1;  // slots; -1: as many as there are threads by default
    unsigned reserved = 1;     // of these, kept for application threads
    arena_priority priority = arena_priority::normal;
    arena_waiting waiting = arena_waiting::by_environment;
    bool leaves_fast = false;    // idle workers do not wait for more work
    std::vector<unsigned> cpus;  // the kernel's numbers of those that threads inside are bound to; empty: all
};

struct arena_function {
    void (*call)(void* data);
    void* data;
};

}  // namespace bough::detail
