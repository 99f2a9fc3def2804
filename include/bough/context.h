#pragma once
// Cancellation of groups of loops and tasks, as in oneTBB's task_group_context.

#include <atomic>
#include <cstdint>
#include <mutex>

#include "config.h"
#include "detail/cancel_node.h"
#include "detail/fork_lock.h"

namespace bough {

// A handle by which loops and tasks are cancelled together. A bound context is cancelled with the loop or task in which
// it is used; an isolated one is not. Loops may share a context, which must outlive them. All members but reset() are
// thread-safe.
class task_group_context {
public:
    enum kind_type { isolated, bound };

    explicit task_group_context(kind_type kind = bound) noexcept : kind_(kind) {}
    task_group_context(const task_group_context&) = delete;
    task_group_context& operator=(const task_group_context&) = delete;

    // Asks everything that runs under this context to stop. A thread that has seen the request begins no further body;
    // bodies that run go on to their end. Returns false if the context was already cancelled.
    bool cancel_group_execution() noexcept { return state_.exchange(1, std::memory_order_relaxed) == 0; }

    // Also true while a bound context is used inside a loop or task that was cancelled. If the context has several uses
    // at a time, this may be false until the use in question ends: the context keeps only the scope of its latest use.
    // What runs there is cancelled all the same.
    bool is_group_execution_cancelled() const noexcept {
        if (state_.load(std::memory_order_relaxed) != 0)
            return true;
        const std::lock_guard lock(lock_);
        return outer_ && outer_since_ == detail::fork_generation() && outer_->is_stopped();
    }

    // Makes a cancelled context usable again. Only when nothing runs under it.
    void reset() noexcept { state_.store(0, std::memory_order_relaxed); }

    kind_type kind() const noexcept { return kind_; }

    // For the library. bind() puts a node under this context, and below `outer` unless the context is isolated.
    // unbind() takes the node out again.
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
        if (outer_ == node.parent)  // another use's scope may be lost; a node that has ended is never asked
            outer_ = nullptr;
    }

private:
    std::atomic<std::uint32_t> state_{0};
    kind_type kind_;
    mutable detail::fork_lock lock_;  // the outer node may end while another thread asks it
    const detail::cancel_node* outer_ = nullptr;
    // The generation (fork_generation()) that has set outer_. In a child process outer_ may point to the stack of a
    // thread that only the parent has.
    std::uint32_t outer_since_ = 0;
};

namespace detail {

// While this lives the node is below its outer scope, and under the user's context if there is one.
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
