#pragma once
// Cancellation of groups of loops and tasks, as in oneTBB's task_group_context.

#include <atomic>
#include <cstdint>
#include <mutex>

#include "config.h"
#include "detail/cancel_node.h"
#include "detail/fork_lock.h"

namespace bough {

// A handle by which loops and tasks are cancelled together. Bound contexts are cancelled with the loop or task they
// are used in; isolated ones are not. May be shared between loops; must outlive them. All members but reset() are
// thread-safe.
class task_group_context {
public:
    enum kind_type { isolated, bound };

    explicit task_group_context(kind_type kind = bound) noexcept : kind_(kind) {}
    task_group_context(const task_group_context&) = delete;
    task_group_context& operator=(const task_group_context&) = delete;

    // Asks everything that runs under this context to stop: no further body is begun by a thread that has seen it;
    // bodies that run go on to their end. Returns false when it was already cancelled.
    bool cancel_group_execution() noexcept { return state_.exchange(1, std::memory_order_relaxed) == 0; }

    // True too while it is used inside something that was cancelled, unless isolated. Where it has several uses at a
    // time this may go unseen until that use ends: only the latest scope is kept. What runs there is cancelled all the
    // same.
    bool is_group_execution_cancelled() const noexcept {
        if (state_.load(std::memory_order_relaxed) != 0)
            return true;
        const std::lock_guard lock(lock_);
        return outer_ && outer_since_ == detail::fork_generation() && outer_->is_stopped();
    }

    // Makes a cancelled context usable again. Only when nothing runs under it.
    void reset() noexcept { state_.store(0, std::memory_order_relaxed); }

    kind_type kind() const noexcept { return kind_; }

    // For the engine: puts a node under this context, within `outer` unless isolated; and takes it out again.
    void bind(detail::cancel_node& node, const detail::cancel_node* outer) noexcept {
        node.hear_of(state_);
        if (kind_ == isolated)
            return;
        node.put_below(outer);
        const std::lock_guard lock(lock_);
        outer_ = outer;
        outer_since_ = detail::fork_generation();
    }
    void unbind(const detail::cancel_node& node) noexcept {
        if (kind_ == isolated)
            return;
        const std::lock_guard lock(lock_);
        if (node.parent && node.parent->is_stopped())
            cancel_group_execution();
        if (outer_ == node.parent)  // a hint for another use may be lost; a dead node is never asked
            outer_ = nullptr;
    }

private:
    std::atomic<std::uint32_t> state_{0};
    kind_type kind_;
    mutable detail::fork_lock lock_;  // the outer node may end while another thread asks
    const detail::cancel_node* outer_ = nullptr;
    // The generation that has set it. In a child it may lie on the stack of a thread that only the parent has.
    std::uint32_t outer_since_ = 0;
};

namespace detail {

// A node within its outer scope, for as long as a call lasts: through the user's context if there is one.
class bound_node {
public:
    bound_node(cancel_node& node, task_group_context* context, const cancel_node* outer) noexcept
        : node_(node), context_(context) {
        if (context)
            context->bind(node, outer);
        else
            node.put_below(outer);
    }
    ~bound_node() {
        if (context_)
            context_->unbind(node_);
    }
    bound_node(const bound_node&) = delete;
    bound_node& operator=(const bound_node&) = delete;

private:
    cancel_node& node_;
    task_group_context* context_;
};

}  // namespace detail
}  // namespace bough
