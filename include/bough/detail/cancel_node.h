#pragma once
// A node is one link in a chain of things that can be cancelled together: a loop, or a group of tasks, perhaps under a
// user's context. A node lives at least as long as every node below it, so threads read the chain without locks.

#include <atomic>
#include <cstdint>

#include "../exports/tasks.h"

namespace bough::detail {

// A runtime that is built on bough takes part in the chain with a group of its own at some nodes.
struct outer_group {
    const void* runtime;                          // whose group this is
    const std::atomic<std::uint32_t>* cancelled;  // not 0: the group is cancelled
    void (*cancel)(outer_group&) noexcept;        // the node was stopped
    void (*release)(outer_group&) noexcept;       // the node ends; null: the node does not own the group
    void (*restart)(outer_group&) noexcept;       // the node is used anew: the group is no longer cancelled
};

struct cancel_node {
    std::atomic<std::uint32_t> stopped{0};
    bool is_counted =
        true;  // every stop of this node is counted; false: a context or another runtime can stop it, too
    const cancel_node* parent = nullptr;
    const cancel_node* uncounted = nullptr;               // the next node above that is not counted
    const std::atomic<std::uint32_t>* context = nullptr;  // state of the user's context, if there is one
    mutable std::atomic<outer_group*> group{nullptr};

    cancel_node() = default;
    cancel_node(const cancel_node&) = delete;
    cancel_node& operator=(const cancel_node&) = delete;
    ~cancel_node() {
        // relaxed: the thread that attached the group worked below this node, and this thread has waited for it.
        outer_group* g = group.load(std::memory_order_relaxed);
        const std::uint32_t stops = stopped.load(std::memory_order_relaxed);
        if (is_counted && (g || stops)) [[unlikely]]
            nodes_to_ask.fetch_sub((g ? 1 : 0) + (stops ? 1 : 0), std::memory_order_relaxed);
        if (g && g->release)
            g->release(*g);
    }

    // These are called before other threads know the node.
    void put_below(const cancel_node* p) noexcept {
        parent = p;
        uncounted = p && p->is_counted ? p->uncounted : p;
    }
    void hear_of(const std::atomic<std::uint32_t>& users_context) noexcept {
        context = &users_context;
        is_counted = false;
    }
    void hear_of(outer_group& g) noexcept {
        // relaxed: the operation that makes the node known to other threads publishes this as well.
        group.store(&g, std::memory_order_relaxed);
        is_counted = false;
    }

    // Is this node `other`, or does it descend from `other`? Only to be called while something below this node runs.
    bool is_below(const cancel_node* other) const noexcept {
        const cancel_node* n = this;
        while (n && n != other)
            n = n->parent;
        return n != nullptr;
    }

    // Is this node, or a node above it, stopped? Asked between batches, never inside one. relaxed: a stop carries no
    // data; the exception behind it is read after the join.
    bool is_stopped() const noexcept {
        if (is_counted && !uncounted && nodes_to_ask.load(std::memory_order_relaxed) == 0) [[likely]]
            return false;
        return is_stopped_somewhere();
    }

    // False: this node is not stopped and no group is attached, so there is nothing to restart. Does not ask the nodes
    // above.
    bool may_be_stopped() const noexcept {
        return stopped.load(std::memory_order_relaxed) || group.load(std::memory_order_relaxed);
    }

    void stop() noexcept {
        count(1);  // comes first: a thread that sees the node stopped, and restarts it, takes the count off
        // seq_cst, both: store-load pair with attach().
        if (stopped.exchange(1, std::memory_order_seq_cst) != 0)
            count(-1);
        if (outer_group* g = group.load(std::memory_order_seq_cst))
            g->cancel(*g);
    }

    // Makes the node usable again. Not to be called while another thread stops the node. A group stays attached: a task
    // of the next use may look at it already.
    void restart() noexcept {
        outer_group* g = group.load(std::memory_order_acquire);  // pairs with attach()
        if (g && is_counted && g->cancelled->load(std::memory_order_relaxed))
            g->restart(*g);
        if (stopped.load(std::memory_order_relaxed) == 0) [[likely]]
            return;
        stopped.store(0, std::memory_order_relaxed);
        count(-1);
    }

    // Attaches a group, for a thread that works below the node. Returns the group that is attached then: g, or another
    // that came first. Cancels g if the node has stopped.
    outer_group* attach(outer_group& g) const noexcept {
        outer_group* there = nullptr;
        count(1);
        // release: pairs with is_stopped_itself(). seq_cst: store-load pair with stop(). Either stop() finds the group,
        // or this thread sees that the node has stopped.
        if (!group.compare_exchange_strong(there, &g, std::memory_order_seq_cst)) {
            count(-1);
            return there;
        }
        if (stopped.load(std::memory_order_seq_cst))
            g.cancel(g);
        return &g;
    }

private:
    // relaxed: a stop carries no data.
    void count(int change) const noexcept {
        if (is_counted)
            nodes_to_ask.fetch_add(static_cast<std::uint32_t>(change), std::memory_order_relaxed);
    }

    bool is_stopped_somewhere() const noexcept {
        if (is_stopped_itself())
            return true;
        const bool all = nodes_to_ask.load(std::memory_order_relaxed) != 0;
        for (const cancel_node* n = all ? parent : uncounted; n; n = all ? n->parent : n->uncounted)
            if (n->is_stopped_itself())
                return true;
        return false;
    }

    bool is_stopped_itself() const noexcept {
        if (stopped.load(std::memory_order_relaxed) || (context && context->load(std::memory_order_relaxed)))
            return true;
        // acquire: pairs with attach().
        const outer_group* g = group.load(std::memory_order_acquire);
        return g && g->cancelled->load(std::memory_order_relaxed);
    }
};

}  // namespace bough::detail
