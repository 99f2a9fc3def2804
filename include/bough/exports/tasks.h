#pragma once
// Tasks, the groups that wait for them, and waits. Behind it: src/worker/tasks.cpp.

#include <atomic>
#include <cstdint>
#include <exception>

#include "../config.h"

namespace bough::detail {

struct goal;
struct task;
struct task_group_state;

// Counts the task in its group and puts it into the caller's local queue; others may steal it from then on.
// When the queue cannot grow the task runs here and now: nothing is lost. Throws std::bad_alloc, before it has done
// anything, when the thread has no slot yet and gets none.
BOUGH_EXPORT void spawn(task& t);

// ---- tasks that are made now and started later: their group counts them from the beginning ----

// The group's waits wait for one task more.
BOUGH_EXPORT void count_deferred(task_group_state& group) noexcept;
// As spawn(), but for the count.
BOUGH_EXPORT void spawn_deferred(task& t);
// Frees the task without running it, and counts it off.
BOUGH_EXPORT void give_up(task& t) noexcept;

// Counts the task in its group and runs it here, in the group's scope. Throws like spawn().
BOUGH_EXPORT void run_here(task& t);

// Returns when pending is 0. While it waits the caller runs its newest tasks first, then steals.
BOUGH_EXPORT void wait(task_group_state& group) noexcept;

// ---- what stops a group ----

// How many counted nodes may be stopped now. While there are none, whoever asks passes over all of them: a chain is as
// long as a recursion is deep.
BOUGH_EXPORT extern std::atomic<std::uint32_t> nodes_to_ask;

// As task_group_state's members, which call them.
BOUGH_EXPORT void fail_group(task_group_state& group, std::exception_ptr e) noexcept;
BOUGH_EXPORT void cancel_group(task_group_state& group) noexcept;
// Was the group stopped? If so, makes it usable again and puts its exception into `taken`.
BOUGH_EXPORT bool restart_group(task_group_state& group, std::exception_ptr& taken) noexcept;

// ---- waiting for anything ----

// Runs what may be run here until the goal is reached. Whoever brings it about must unpark_all(subject) afterwards; its
// last change is a seq_cst operation, and is_reached() a seq_cst load (src/park/README.md).
BOUGH_EXPORT void work_until(goal g) noexcept;
// Runs the root of a tree of tasks here, then work_until(g). `kind` is an address that trees share which are alike: by
// it is learned whether it pays to hand the first tasks out to idle workers. A tree within one of its kind goes the
// same way.
BOUGH_EXPORT void run_tree(task& root, goal g, const void* kind);

}  // namespace bough::detail
