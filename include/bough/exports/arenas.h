#pragma once
// Arenas by pointer. Behind it: src/entry/arenas.cpp.

#include "../config.h"

namespace bough::detail {

class arena;
struct arena_function;
struct arena_settings;

// Throws std::invalid_argument when the settings make no sense, std::bad_alloc. The caller has a reference.
BOUGH_EXPORT arena* make_arena(const arena_settings& settings);
BOUGH_EXPORT void keep_arena(arena& a) noexcept;
BOUGH_EXPORT void drop_arena(arena* a) noexcept;

// The slots of an arena that is made with this setting.
BOUGH_EXPORT unsigned planned_concurrency(int max_concurrency);
BOUGH_EXPORT arena_settings settings_of(const arena& a);
// Every thread that is inside now has a slot below this.
BOUGH_EXPORT unsigned bound_of_slots(const arena& a) noexcept;

// Takes a slot of the arena, calls f, gives the slot back. While all slots are taken f waits for
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

// Number of the calling thread's slot, -2 outside of every arena.
BOUGH_EXPORT int current_slot_index() noexcept;

}  // namespace bough::detail

namespace bough::this_task_arena {

// Slots of the arena that the calling thread is in, or else of the one that it would take for itself; as
// task_arena::max_concurrency() says. No limit changes it: current_thread_index() is less in every body of the thread's
// loops, whatever limits come and go. An arena without slots for workers says one more while a worker that has come on
// top is inside, or due. The first call in a process may throw std::bad_alloc.
BOUGH_EXPORT int max_concurrency();

}  // namespace bough::this_task_arena
