#pragma once
// Cancellation groups: binding to the group that a thread works in, cancellation down the tree, exceptions. contexts.cpp
// has the protocol.

#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>

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

    static_assert(sizeof(context) == 128 && alignof(context) == 8);

    static void initialize(context& c);
    static void destroy(context& c);
    static void reset(context& c);

    // At the first use: to the group that the calling thread works in. O(1); takes a lock when there is one.
    static void bind(context& c) {
        // acquire: pairs with bind_first(); the parent and the settings are visible.
        const state s = c.my_state.load(std::memory_order_acquire);
        if (s == state::created || s == state::locked) [[unlikely]]
            bind_first(c, nullptr, true);
    }
    // The same, to a given one; null: to none.
    static void bind_to(context& c, context* parent) { bind_first(c, parent, false); }

    // In a child of fork(), of each bound context: it hears of a cancellation under way, and of no other's any more.
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
    static void rethrow(context& c);

    // Floating-point settings of the group's tasks; 0: those of the arena.
    static std::uint64_t fp_settings(const context& c) { return c.my_cpu_ctl_env; }
    static void capture_fp_settings(context& c);

private:
    static context& context_of(d1::intrusive_list_node& n) {
        return *reinterpret_cast<context*>(reinterpret_cast<char*>(&n) - offsetof(context, my_node));
    }
    // Contexts that are bound to this one and alive, in bytes that oneTBB keeps free. Changed by a child under its list's
    // mutex: so a parent that counts none is known to none. Most are in the list of their parent, whose mutex guards `near`.
    struct children {
        std::uint32_t near = 0;
        std::atomic<std::uint32_t> far{0};
    };
    static children& children_of(context& c) {
        static_assert(sizeof(children) <= sizeof(c.padding) &&
                      offsetof(context, padding) % alignof(children) == 0);
        return *std::launder(reinterpret_cast<children*>(c.padding));
    }
    static const children& children_of(const context& c) { return children_of(const_cast<context&>(c)); }
    static void count_child(const context& child, context& parent) {
        if (parent.my_context_list == child.my_context_list)
            ++children_of(parent).near;
        else
            children_of(parent).far.fetch_add(1, std::memory_order_seq_cst);  // pairs with has_children()
    }
    static void discount_child(const context& child, context& parent) {
        if (parent.my_context_list == child.my_context_list)
            --children_of(parent).near;
        else  // release: pairs with destroy(); the parent may be gone after this
            children_of(parent).far.fetch_sub(1, std::memory_order_release);
    }
    static void forget_children(context& c) {
        children_of(c).near = 0;
        children_of(c).far.store(0, std::memory_order_relaxed);
    }
    static bool has_children(const context& c);
    static void leave_tree(context& c);
    static void bind_first(context& c, context* parent, bool to_current);
    static bool bind_below(context& c, context& parent);
};

}  // namespace tbb::detail::r1
