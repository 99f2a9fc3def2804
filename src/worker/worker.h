#pragma once
// What the files of this folder call of each other. The calling thread sits in slot `s` in all of them.

#include <algorithm>

#include "arena/arena.h"
#include "profile/tuning.h"

namespace bough {

// ---- work_off.cpp: work of loops ----

// Runs an interval taken from, or handed out of, another part, and reports it.
void help(slot& s, interval taken, assignment team = {});

// ---- tasks.cpp ----

void execute(slot& s, task& t);
// Counts t in its group and puts its proxy into the queue instead. False: t ran here, the queue could not grow.
bool spawn_proxied(slot& s, task& t, task& proxy);
// Runs the slot's newest task, or its oldest mail; false when it has neither.
bool run_own_task(slot& s);

// ---- idle.cpp ----

// A worker's life in an arena: returns when it is to leave.
void serve(slot& s);
// Looks at everything that others have published and runs one thing of it. `below`: only this job and loops nested in it.
bool look_and_take(slot& s, const loop_job* below = nullptr);
// Before user code: hands the watcher role on. Does nothing without the role.
void leave_watch(slot& s);
// The worker may be handed work from here on: its cell is open, its bit in the idle set is on.
void wait_for_hand_off(slot& s);
// The slot is at work for longer than a gate: callers need not try it.
void mark_busy(slot& s);

// ---- call.cpp ----

// Somebody has to look at the arena: wakes its sleeping callers and asks for a worker.
void call(arena& a);
// After publishing. One load while somebody watches.
inline void call_if_unwatched(arena& a) {
    if (a.bell.is_raised()) [[unlikely]]
        call(a);
}
unsigned workers_allowed(const arena& a);
// For a long loop: all workers that are missing.
void call_all(arena& a);

}  // namespace bough
