#pragma once
// One link in the chain of things that can be cancelled together: a loop, a task_group, a user's context.
// A node lives at least as long as every node below it, so the chain is read without locks.

#include <atomic>
#include <cstdint>

namespace bough::detail {

// How a runtime that stands on bough takes part in the chain: with a group of its own at some nodes.
struct outer_group {
    const void* runtime;                          // whose it is
    const std::atomic<std::uint32_t>* cancelled;  // not 0: it is
    void (*cancel)(outer_group&) noexcept;        // the node was stopped
    void (*release)(outer_group&) noexcept;       // the node ends; null: the group is somebody else's
};

struct cancel_node {
    std::atomic<std::uint32_t> stopped{0};
    const cancel_node* parent = nullptr;
    const std::atomic<std::uint32_t>* context = nullptr;  // state of the user's context, if there is one
    mutable std::atomic<outer_group*> group{nullptr};

    cancel_node() = default;
    cancel_node(const cancel_node&) = delete;
    cancel_node& operator=(const cancel_node&) = delete;
    ~cancel_node() {
        // relaxed: whoever set it worked below this node, and has been waited for.
        outer_group* g = group.load(std::memory_order_relaxed);
        if (g && g->release)
            g->release(*g);
    }

    // Asked between batches, never inside one; costs two loads per level of nesting.
    bool is_stopped() const noexcept {
        // relaxed: a stop carries no data; the exception behind it is read after the join.
        for (const cancel_node* n = this; n; n = n->parent) {
            if (n->stopped.load(std::memory_order_relaxed) ||
                (n->context && n->context->load(std::memory_order_relaxed)))
                return true;
            // acquire: pairs with whoever attached the group.
            const outer_group* g = n->group.load(std::memory_order_acquire);
            if (g && g->cancelled->load(std::memory_order_relaxed))
                return true;
        }
        return false;
    }

    void stop() noexcept {
        // seq_cst, both: store-load pair with whoever attaches a group and then looks whether this has stopped.
        stopped.store(1, std::memory_order_seq_cst);
        if (outer_group* g = group.load(std::memory_order_seq_cst))
            g->cancel(*g);
    }
};

}  // namespace bough::detail
