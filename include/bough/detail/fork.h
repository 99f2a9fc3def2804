#pragma once
// Calls that are forked and joined in one function: parallel_invoke's way into the library. The tasks lie on the
// caller's stack; what nobody steals is called in place, and pays for one locked operation, or two where the queue
// becomes empty (src/worker/forks.cpp).

#include <cstdint>

#include "../config.h"
#include "invoke_task.h"
#include "slot_view.h"
#include "task.h"

namespace bough {
class task_group_context;
}

namespace bough::detail {

// The calls of one function. Only the thread that makes it uses it; thieves use the group that it is.
struct fork_group : task_group_state {
    fork_group(unsigned forks, task_group_context* c) : context(c) {
        pending.store(std::uint64_t{2} * forks, std::memory_order_relaxed);
    }

    task_group_context* const context;
    slot_view* home = nullptr;
    const cancel_node* outer = nullptr;
    std::uint64_t outer_fp_settings = 0;  // what the thread computed with, where it had to change that
};

// Enters the group, and forks its last call. Throws std::bad_alloc where a thread cannot get a seat, and
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

// Leaves a group that nobody has stolen from.
inline void close_forks(fork_group& g) noexcept {
    g.home->scope = g.outer;
    if (--g.home->nesting == 0 || g.context) [[unlikely]]
        leave_forks(g);
}

}  // namespace bough::detail
