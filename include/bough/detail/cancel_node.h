#pragma once
// One link in the chain of things that can be cancelled together: a loop, a task_group, a user's context.
// A node lives at least as long as every node below it, so the chain is read without locks.

#include <atomic>
#include <cstdint>

#include "../exports/tasks.h"

namespace bough::detail {

// How a runtime that stands on bough takes part in the chain: with a group of its own at some nodes.
struct outer_group {
    const void* runtime;                          // whose it is
    const std::atomic<std::uint32_t>* cancelled;  // not 0: it is
    void (*cancel)(outer_group&) noexcept;        // the node was stopped
    void (*release)(outer_group&) noexcept;       // the node ends; null: the group is somebody else's
    void (*restart)(outer_group&) noexcept;       // the node is used anew: cancelled no more
};

struct cancel_node {
    std::atomic<std::uint32_t> stopped{0};
    bool is_counted =
        true;  // nothing can stop it that is not counted; false: it hears of a context or another runtime
    const cancel_node* parent = nullptr;
    const cancel_node* uncounted = nullptr;               // the next above that is not counted
    const std::atomic<std::uint32_t>* context = nullptr;  // state of the user's context, if there is one
    mutable std::atomic<outer_group*> group{nullptr};

    cancel_node() = default;
    cancel_node(const cancel_node&) = delete;
    cancel_node& operator=(const cancel_node&) = delete;
    ~cancel_node() {
        // relaxed: whoever set it worked below this node, and has been waited for.
        outer_group* g = group.load(std::memory_order_relaxed);
        const std::uint32_t stops = stopped.load(std::memory_order_relaxed);
        if (is_counted && (g || stops)) [[unlikely]]
            nodes_to_ask.fetch_sub((g ? 1 : 0) + (stops ? 1 : 0), std::memory_order_relaxed);
        if (g && g->release)
            g->release(*g);
    }

    // Before others know the node.
    void put_below(const cancel_node* p) noexcept {
        parent = p;
        uncounted = p && p->is_counted ? p->uncounted : p;
    }
    void hear_of(const std::atomic<std::uint32_t>& users_context) noexcept {
        context = &users_context;
        is_counted = false;
    }
    void hear_of(outer_group& g) noexcept {
        // relaxed: published with whatever makes the node known to others.
        group.store(&g, std::memory_order_relaxed);
        is_counted = false;
    }

    // Is it, or does it descend from, `other`? Only while something below the node runs.
    bool is_below(const cancel_node* other) const noexcept {
        const cancel_node* n = this;
        while (n && n != other)
            n = n->parent;
        return n != nullptr;
    }

    // Asked between batches, never inside one. relaxed: a stop carries no data; the exception behind it is read after
    // the join.
    bool is_stopped() const noexcept {
        if (is_counted && !uncounted && nodes_to_ask.load(std::memory_order_relaxed) == 0) [[likely]]
            return false;
        return is_stopped_somewhere();
    }

    // False: neither it nor what is attached to it; nothing to restart. What stands above it is not asked.
    bool may_be_stopped() const noexcept {
        return stopped.load(std::memory_order_relaxed) || group.load(std::memory_order_relaxed);
    }

    void stop() noexcept {
        count(1);  // first: whoever sees it stopped, and makes it usable again, takes the count off
        // seq_cst, both: store-load pair with attach().
        if (stopped.exchange(1, std::memory_order_seq_cst) != 0)
            count(-1);
        if (outer_group* g = group.load(std::memory_order_seq_cst))
            g->cancel(*g);
    }

    // For another use. Not while another thread stops it. A group stays attached: a task of the next use may look at it
    // already.
    void restart() noexcept {
        outer_group* g = group.load(std::memory_order_acquire);  // pairs with attach()
        if (g && is_counted && g->cancelled->load(std::memory_order_relaxed))
            g->restart(*g);
        if (stopped.load(std::memory_order_relaxed) == 0) [[likely]]
            return;
        stopped.store(0, std::memory_order_relaxed);
        count(-1);
    }

    // By whoever works below the node. Returns what is attached then: this group, or another that came first; and
    // cancels it if the node has stopped.
    outer_group* attach(outer_group& g) const noexcept {
        outer_group* there = nullptr;
        count(1);
        // release: pairs with is_stopped_itself(). seq_cst: store-load pair with stop(), which finds the group, or has
        // stopped.
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
