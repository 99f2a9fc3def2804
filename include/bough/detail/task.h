#pragma once
// A task, and the state of the group that counts it: the only types of tasks that queues, mailboxes and the scheduler
// know.

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

#include "../exports/tasks.h"
#include "cancel_node.h"
#include "fork_lock.h"

namespace bough::detail {

// The header of every task: at most 32 bytes, so that it fits the words that oneTBB's tasks reserve for a runtime.
struct task {
    // Runs the body unless `cancelled`, and frees the task. The thread that got the task calls it once.
    using run_function = void (*)(task&, bool cancelled);

    run_function run = nullptr;
    task_group_state* group = nullptr;
    std::uintptr_t isolation = 0;
    task* link = nullptr;  // for the stream in which the task lies
};
static_assert(sizeof(task) <= 32);

// Counts unfinished tasks. After the last task's decrement only the waiter touches the group.
struct task_group_state {
    std::atomic<std::uint64_t> pending{0};
    cancel_node node;
    std::uint64_t fp_settings = 0;  // settings of its tasks; 0: those of the arena's workers
    // A thread holds this lock to stop the node, and to restart it. Invariant, while the lock is free: a group with an
    // exception is stopped. So the end of a wait takes both or neither, and a task that fails at that time belongs to
    // that wait or to the next one. *Why not two atomics:* whichever a wait reset first, a task could fail in between.
    fork_lock ending;
    std::exception_ptr
        error;  // the first one; guarded by `ending`, unless no thread but the waiter can use the group

    // pending: unfinished tasks times two, plus one while a waiter sleeps.
    bool is_done() const noexcept {
        // acquire: pairs with the last task's decrement; what the tasks wrote is visible.
        return pending.load(std::memory_order_acquire) < 2;
    }

    // Keeps the first exception and stops the group.
    void fail(std::exception_ptr e) noexcept { fail_group(*this, std::move(e)); }
    void cancel() noexcept { cancel_group(*this); }

    // At the end of a wait: was the group stopped? If so, makes it usable again and puts its exception into `taken`.
    bool end_wait(std::exception_ptr& taken) noexcept {
        // Looks without the lock. A task for which this wait has waited failed, if at all, before its decrement of
        // `pending`, which the wait has acquired. A stop that is not seen here came later: it belongs to the next wait.
        return node.may_be_stopped() ? restart_group(*this, taken) : node.is_stopped();
    }
};

}  // namespace bough::detail
