#pragma once
// Calls that are forked and joined in one function: parallel_invoke's way into the library (exports/fork_join.h). The
// tasks lie on the caller's stack; what nobody steals is called in place, and pays for one locked operation, or two
// where the queue becomes empty (src/entry/fork_join.cpp).

#include <cstdint>

#include "../exports/fork_join.h"
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

// Leaves a group that nobody has stolen from.
inline void close_forks(fork_group& g) noexcept {
    g.home->scope = g.outer;
    if (--g.home->nesting == 0 || g.context) [[unlikely]]
        leave_forks(g);
}

}  // namespace bough::detail
