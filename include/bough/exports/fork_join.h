#pragma once
// The calls that parallel_invoke makes into the library (detail/fork.h). Behind it: src/entry/fork_join.cpp.

#include "../config.h"

namespace bough::detail {

struct fork_group;
struct task;

// The calling thread enters the group, and spawns the task of its last call. Throws std::bad_alloc if the thread cannot
// get a slot, and nesting_too_deep; then nothing has happened.
BOUGH_EXPORT void open_forks(fork_group& g, task& last);
// Spawns t. Other threads may take t from now on. The caller must take back the newest task first.
BOUGH_EXPORT void fork(fork_group& g, task& t);
// Takes t back. True: no other thread has t, or will get it; the caller calls it in place. False: another thread has
// taken t, or a newer task lies above t in the queue, or a critical task waits.
BOUGH_EXPORT bool take_back(fork_group& g, task& t) noexcept;
// Leaves the group when all its calls are over: the caller has taken back `called` of them, and waits for the others.
// Rethrows the first exception.
BOUGH_EXPORT void join_forks(fork_group& g, unsigned called);
// For an exception handler, after a call of the group threw: keeps the exception, and stops the group, so that calls
// that have not begun are left out.
BOUGH_EXPORT void drop_forks(fork_group& g) noexcept;
// What is left to do at the end if entering the group took more than a few stores, or if the group was the thread's
// outermost call.
BOUGH_EXPORT void leave_forks(fork_group& g) noexcept;

}  // namespace bough::detail
