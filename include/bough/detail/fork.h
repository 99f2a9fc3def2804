#pragma once
// Fork-join calls: parallel_invoke's way into the library (exports/fork_join.h). The tasks lie on the caller's stack.
// The caller calls a task in place that no thief takes. Such a task pays for one locked operation, or two if the queue
// becomes empty (src/entry/fork_join.cpp).

#include <cstdint>

#include "../exports/fork_join.h"
#include "invoke_task.h"
#include "slot_view.h"
#include "task.h"

namespace bough {
class task_group_context;
}

namespace bough::detail {

// The calls of one parallel_invoke. Only the thread that makes it uses its members; thieves use only those of the base
// class, the group.
struct fork_group : task_group_state {
    fork_group(unsigned forks, task_group_context* c) : context(c) {
        pending.store(std::uint64_t{2} * forks, std::memory_order_relaxed);
    }

    task_group_context* const context;
    slot_view* home = nullptr;
    const cancel_node* outer = nullptr;
    std::uint64_t outer_fp_settings = 0;  // the thread's settings, if it had to change them; else 0
};

// Leaves a group of which no thread has stolen a task.
inline void close_forks(fork_group& g) noexcept {
    g.home->scope = g.outer;
    if (--g.home->nesting == 0 || g.context) [[unlikely]]
        leave_forks(g);
}

}  // namespace bough::detail
