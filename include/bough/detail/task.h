#pragma once
// A task and the group that waits for it: the only types that queues, mailboxes and the dispatcher know.

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
    // Runs the body unless `cancelled`, and frees the task. Called once, by whichever thread got it.
    using run_function = void (*)(task&, bool cancelled);

    run_function run = nullptr;
    task_group_state* group = nullptr;
    std::uintptr_t isolation = 0;
    task* link = nullptr;  // for whoever holds the task: a mailbox list, a free list
};
static_assert(sizeof(task) <= 32);

// Counts unfinished tasks. The last task's decrement is the last time that anybody but the waiter touches it.
struct task_group_state {
    std::atomic<std::uint64_t> pending{0};
    cancel_node node;
    std::uint64_t fp_settings = 0;  // what its tasks compute with; 0: as the arena's workers do
    // Held to stop the node and to restart it. Invariant, while it is free: a group with an exception is stopped. So a
    // wait takes both or neither, and a task that fails while a wait ends belongs to that wait or to the next.
    // *Why not two atomics:* whichever a wait reset first, a task could fail in between.
    fork_lock ending;
    std::exception_ptr
        error;  // the first one; under `ending`, but for a waiter whose group no other thread can use

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
        // Without the lock: a task that the wait has waited for failed before its decrement of `pending`, which the
        // wait has acquired. What is not seen here came later, and the next wait finds it as it is.
        return node.may_be_stopped() ? restart_group(*this, taken) : node.is_stopped();
    }
};

}  // namespace bough::detail
