#pragma once
// Arenas by pointer. Behind it: src/entry/arenas.cpp.

#include "../config.h"

namespace bough::detail {

class arena;
struct arena_function;
struct arena_settings;

// Makes an arena, to which the caller then has a reference. Throws std::invalid_argument if the settings make no sense,
// and std::bad_alloc.
BOUGH_EXPORT arena* make_arena(const arena_settings& settings);
// Adds a reference.
BOUGH_EXPORT void keep_arena(arena& a) noexcept;
// Gives up a reference.
BOUGH_EXPORT void drop_arena(arena* a) noexcept;

// How many slots an arena has that is made with this setting.
BOUGH_EXPORT unsigned planned_concurrency(int max_concurrency);
BOUGH_EXPORT arena_settings settings_of(const arena& a);
// Every thread that is inside now has a slot whose number is below this.
BOUGH_EXPORT unsigned bound_of_slots(const arena& a) noexcept;

// Takes a slot of the arena, calls f, and gives the slot back. A thread that is in the arena already calls f in its
// slot. While all slots are taken, f is also an enqueued task of the arena: it runs in the calling thread once that
// gets a slot, or in a thread of the arena that takes enqueued tasks, whichever comes first. Throws what f throws, and
// std::bad_alloc and nesting_too_deep before f is called.
BOUGH_EXPORT void execute_in(arena& a, arena_function f);
// The calling thread takes part in the arena's work until no work is left in it and its workers have left.
BOUGH_EXPORT void work_until_empty(arena& a);

// While a phase has begun and not ended, idle workers of the arena wait longer for more work. When the last phase ends,
// `leave_at_once` makes the idle workers leave at once, until the next worker comes, or the next phase begins.
BOUGH_EXPORT void begin_phase(arena& a) noexcept;
BOUGH_EXPORT void end_phase(arena& a, bool leave_at_once) noexcept;

// Ends all worker threads and waits until they have ended; later work starts new ones. False if the wait might never
// end: the calling thread is inside a task or a loop, or in another arena than its own; or a worker stays at work for
// 1 s, or has not ended after 10 s; or another thread ends the workers at the same time.
BOUGH_EXPORT bool stop_workers();

// The number of the calling thread's slot; -2 outside of every arena.
BOUGH_EXPORT int current_slot_index() noexcept;

}  // namespace bough::detail

namespace bough::this_task_arena {

// How many slots the arena of the calling thread has, as task_arena::max_concurrency() says. For a thread outside of
// every arena: how many slots the arena has that the thread would take for itself. No limit changes the number. So
// current_thread_index() is below it in every body of the thread's loops, whatever limits come and go. An arena whose
// only slot is for application threads says one more while a worker sits in its spare slot, or is due there. The first
// call in a process may throw std::bad_alloc.
BOUGH_EXPORT int max_concurrency();

}  // namespace bough::this_task_arena
