#pragma once
// One link in the chain of things that can be cancelled together: a loop, a task_group, a user's context.
// A node lives at least as long as every node below it, so the chain is read without locks.

#include <atomic>
#include <cstdint>

namespace bough::detail {

struct cancel_node {
    std::atomic<std::uint32_t> stopped{0};
    const cancel_node* parent = nullptr;
    const std::atomic<std::uint32_t>* context = nullptr;  // state of the user's context, if there is one

    // Asked between batches, never inside one; costs one load per level of nesting.
    bool is_stopped() const noexcept {
        // relaxed: a stop carries no data; the exception behind it is read after the join.
        for (const cancel_node* n = this; n; n = n->parent) {
            if (n->stopped.load(std::memory_order_relaxed) ||
                (n->context && n->context->load(std::memory_order_relaxed)))
                return true;
        }
        return false;
    }

    void stop() noexcept { stopped.store(1, std::memory_order_relaxed); }
};

}  // namespace bough::detail
