#pragma once
// Cancellation groups: binding to the group that a thread works in, cancellation down the tree, exceptions.
// contexts.cpp has the protocol.

#include <bough/detail/cancel_node.h>

#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>

#include "current.h"

namespace tbb::detail::r1 {

// What d1::task_group_context::my_exception points to.
class tbb_exception_ptr {
public:
    std::exception_ptr error;
};

// The fields of oneTBB's context. No other file of this library touches them.
struct task_group_context_impl {
    using context = d1::task_group_context;
    using state = context::state;
    using cancel_node = bough::detail::cancel_node;

    static_assert(sizeof(context) == 128 && alignof(context) == 8);

    static void initialize(context& c);
    static void destroy(context& c);
    static void reset(context& c);

    // At the first use: to the group that the calling thread works in. O(1).
    static void bind(context& c) {
        // acquire: pairs with bind_to(); the parent and the settings are visible.
        if (c.my_state.load(std::memory_order_acquire) == state::created) [[unlikely]]
            bind_to(c, c.my_traits.bound ? bough::compat::abi::context_here() : nullptr);
    }
    // The same, to a given one; null: to none.
    static void bind_to(context& c, context* parent);

    // In a child process, of each bound context: it hears of a cancellation under way, and of no other's any more.
    static void hear_all(d1::intrusive_list_node& n);
    static void isolate(d1::intrusive_list_node& n);

    // relaxed: a cancellation carries no data.
    static bool is_cancelled(const context& c) {
        return c.my_cancellation_requested.load(std::memory_order_relaxed) != 0;
    }
    static const std::atomic<std::uint32_t>& cancellation(const context& c) {
        return c.my_cancellation_requested;
    }
    // True for the one that did it. Cancels everything bound below, too.
    static bool cancel(context& c);

    // Keeps the exception under way, if it is the group's first, and cancels the group.
    static void fail(context& c) noexcept;
    // Throws what the group's tasks have thrown.
    static void rethrow(context& c) {
        if (c.my_exception.load(std::memory_order_acquire)) [[unlikely]]  // pairs with fail()
            rethrow_kept(c);
    }

    // Its link in the core's chain of things that can be cancelled together: at the end of one, as what is above it
    // cancels the context itself.
    static const cancel_node& node(const context& c) { return ours_of(c).node; }
    static bool is_of_context(const cancel_node& n) {
        return n.group.load(std::memory_order_relaxed) == &known_by_node;
    }
    static context& context_of(const cancel_node& n) {
        const auto offset = offsetof(context, padding) + offsetof(ours, node);
        return *reinterpret_cast<context*>(reinterpret_cast<std::uintptr_t>(&n) - offset);
    }

    // Floating-point settings of the group's tasks; 0: those of the arena.
    static std::uint64_t fp_settings(const context& c) { return c.my_cpu_ctl_env; }
    static void capture_fp_settings(context& c);

private:
    static context& context_of(d1::intrusive_list_node& n) {
        return *reinterpret_cast<context*>(reinterpret_cast<char*>(&n) - offsetof(context, my_node));
    }
    // Contexts that are bound to this one and alive. Changed by a child under its list's lock: so a parent that counts
    // none is known to none. Most are in the list of a parent that is entered there itself; its lock guards `near`.
    struct children {
        std::uint32_t near = 0;
        std::atomic<std::uint32_t> far{0};
    };
    // In bytes that oneTBB keeps free. Not destroyed: there is nothing to do.
    struct ours {
        children below;
        cancel_node node;
        bool is_near = false;  // to its parent
    };
    static ours& ours_of(const context& c) {
        static_assert(sizeof(ours) <= sizeof(c.padding) && offsetof(context, padding) % alignof(ours) == 0);
        return *std::launder(reinterpret_cast<ours*>(const_cast<char*>(c.padding)));
    }
    static children& children_of(const context& c) { return ours_of(c).below; }
    // Attached to every node of a context, and never cancelled itself: the node hears of the context's flag.
    static bough::detail::outer_group known_by_node;
    static bool is_entered(const context& c) {
        return c.my_state.load(std::memory_order_relaxed) == state::bound;
    }
    static std::atomic_ref<context_list*> list_word(const context& c) {
        return std::atomic_ref(const_cast<context&>(c).my_context_list);
    }
    // Of one that is bound, or being bound by this thread. relaxed: with its state, or by this thread itself.
    static context_list* list_of(const context& c) { return list_word(c).load(std::memory_order_relaxed); }
    static void count_child(context& child, context& parent) {
        bool& is_near = ours_of(child).is_near;
        is_near = is_entered(parent) && list_of(parent) == list_of(child);
        if (is_near)
            ++children_of(parent).near;
        else
            children_of(parent).far.fetch_add(1, std::memory_order_seq_cst);  // pairs with cancel()
    }
    static void discount_child(const context& child, context& parent) {
        if (ours_of(child).is_near)
            --children_of(parent).near;
        else  // release: pairs with destroy(); the parent may be gone after this
            children_of(parent).far.fetch_sub(1, std::memory_order_release);
    }
    static void forget_children(context& c) {
        children_of(c).near = 0;
        children_of(c).far.store(0, std::memory_order_relaxed);
    }
    static void rethrow_kept(context& c);
    static bool is_below(const context& c, const context& other);
    static bool cancel_near(context& c);
    static bool leave(context& c);
    static bool leave_quickly(context& c);
    static void leave_tree(context& c);
    static void destroy_slowly(context& c);
    static void bind_below(context& c, context& parent);
};

}  // namespace tbb::detail::r1
