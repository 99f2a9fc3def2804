#pragma once
// Arenas by pointer: what task_arena, and runtimes that stand on bough, call.

#include <cstdint>
#include <vector>

#include "../config.h"

namespace bough::detail {

class arena;

enum class arena_priority : std::uint8_t { low, normal, high };
// What a thread may run while it waits for a loop or a group of tasks: anything of its arena, or what descends from
// what it waits for.
enum class arena_waiting : std::uint8_t { by_environment, any, descendants };

// Where its slots keep tasks; src/queue/README.md says what each is good for.
enum class arena_queue : std::uint8_t {
    by_environment,
    chase_lev,
    mutex,
    abp,
    split,
    split_signal,
    split_signal_conservative,
    split_signal_half,
};

struct arena_settings {
    int max_concurrency = -1;  // seats; -1: as many as there are threads by default
    unsigned masters = 1;      // of these, kept for application threads
    arena_priority priority = arena_priority::normal;
    arena_waiting waiting = arena_waiting::by_environment;
    arena_queue queue = arena_queue::by_environment;
    bool leaves_fast = false;    // idle workers do not wait for more work
    std::vector<unsigned> cpus;  // the kernel's numbers of those that threads inside are bound to; empty: all
};

struct arena_function {
    void (*call)(void* data);
    void* data;
};

// Throws std::invalid_argument when the settings make no sense, std::bad_alloc. The caller has a reference.
BOUGH_EXPORT arena* make_arena(const arena_settings& settings);
BOUGH_EXPORT void keep_arena(arena& a) noexcept;
BOUGH_EXPORT void drop_arena(arena* a) noexcept;

// The seats of an arena that is made with this setting.
BOUGH_EXPORT unsigned planned_concurrency(int max_concurrency);
BOUGH_EXPORT arena_settings settings_of(const arena& a);
// Every thread that is inside now has a seat below this.
BOUGH_EXPORT unsigned bound_of_seats(const arena& a) noexcept;

// Takes a seat of the arena, calls f, gives the seat back. While all seats are taken f waits for
// whoever sits in the arena and has nothing else to do, as well: who comes to it first runs it. f's exceptions come
// through.
BOUGH_EXPORT void execute_in(arena& a, arena_function f);
// Takes part in the arena's work until nothing is left in it and its workers have gone.
BOUGH_EXPORT void work_until_empty(arena& a);

// While phases are counted the arena's idle workers wait longer for more work. After the end of one they may be asked
// to leave at once, until the next comes for work.
BOUGH_EXPORT void begin_phase(arena& a) noexcept;
BOUGH_EXPORT void end_phase(arena& a, bool leave_at_once) noexcept;

// Ends all worker threads and waits for them; later work starts new ones. False where waiting might never end: inside a
// task or a loop, in another arena than the thread's own, while another thread does it, while a worker is at work.
BOUGH_EXPORT bool stop_workers();

// Number of the calling thread's seat, -2 outside of every arena.
BOUGH_EXPORT int current_seat() noexcept;

}  // namespace bough::detail
