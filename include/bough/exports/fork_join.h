#pragma once
// parallel_invoke's way into the library (detail/fork.h). Behind it: src/entry/fork_join.cpp.

#include "../config.h"

namespace bough::detail {

struct fork_group;
struct task;

// Enters the group, and forks its last call. Throws std::bad_alloc where a thread cannot get a slot, and
// nesting_too_deep; then nothing has happened.
BOUGH_EXPORT void open_forks(fork_group& g, task& last);
// Others may take it from now on. The newest is to be taken back first.
BOUGH_EXPORT void fork(fork_group& g, task& t);
// True: nobody else has it, or will; call it here. False: it has been taken, or something newer lies before it.
BOUGH_EXPORT bool take_back(fork_group& g, task& t) noexcept;
// Leaves the group when all its calls are over: `called` were taken back, the others are waited for. Rethrows the first
// exception.
BOUGH_EXPORT void join_forks(fork_group& g, unsigned called);
// The handler's exception was thrown by a call of the group: those that have not begun are dropped.
BOUGH_EXPORT void drop_forks(fork_group& g) noexcept;
// Where the group was entered with more than a few stores, or outermost: the rest of leaving it.
BOUGH_EXPORT void leave_forks(fork_group& g) noexcept;

}  // namespace bough::detail
