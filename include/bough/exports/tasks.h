#pragma once
// Tasks, groups of tasks, and waits. Behind it: src/worker/tasks.cpp.

#include <atomic>
#include <cstdint>
#include <exception>

#include "../config.h"

namespace bough::detail {

struct goal;
struct task;
struct task_group_state;

// Counts the task in its group and puts it into the caller's local queue. Other threads may steal it from then on. If
// the queue cannot grow, the task runs at once in the calling thread. Throws std::bad_alloc if the thread has no slot
// yet and there is no memory for one; then nothing has happened.
BOUGH_EXPORT void spawn(task& t);

// ---- deferred tasks: made now and started later; their group counts them from the beginning ----

// Counts one task more in the group, for which the group's waits wait.
BOUGH_EXPORT void count_deferred(task_group_state& group) noexcept;
// As spawn(), but does not count the task.
BOUGH_EXPORT void spawn_deferred(task& t);
// Frees the task without running it, and counts it off.
BOUGH_EXPORT void give_up(task& t) noexcept;

// Counts the task in its group and runs it here, in the group's scope. Throws like spawn().
BOUGH_EXPORT void run_here(task& t);

// Returns when pending is 0. While it waits the caller runs its newest tasks first, then steals.
BOUGH_EXPORT void wait(task_group_state& group) noexcept;

// ---- what stops a group ----

// How many of the counted nodes may be stopped now (cancel_node::is_counted). While there are none, a thread that asks
// whether it is stopped passes over all counted nodes: a chain of nodes is as long as a recursion is deep.
BOUGH_EXPORT extern std::atomic<std::uint32_t> nodes_to_ask;

// As task_group_state's members, which call them.
BOUGH_EXPORT void fail_group(task_group_state& group, std::exception_ptr e) noexcept;
BOUGH_EXPORT void cancel_group(task_group_state& group) noexcept;
// Was the group stopped? If so, makes it usable again and puts its exception into `taken`.
BOUGH_EXPORT bool restart_group(task_group_state& group, std::exception_ptr& taken) noexcept;

// ---- waiting for anything ----

// Runs what the calling thread may run, until the goal is reached. A thread that reaches the goal must call
// unpark_all(subject) afterwards. Its last change must be a seq_cst operation, and is_reached() must be a seq_cst load
// (src/park/README.md).
BOUGH_EXPORT void work_until(goal g) noexcept;
// Runs the root of a tree of tasks in the calling thread, then work_until(g). `kind` is an address that similar trees
// share. For each kind bough learns whether it pays to hand the first tasks off to idle workers. A tree inside a tree
// of its kind goes the same way.
BOUGH_EXPORT void run_tree(task& root, goal g, const void* kind);

}  // namespace bough::detail
