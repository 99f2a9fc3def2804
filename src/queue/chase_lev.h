#pragma once
// The local queue of a slot: the dynamic circular work-stealing deque of Chase and Lev (SPAA 2005), without fences.
// One owner pushes and pops at the bottom, thieves take from the top. Owner and thief hold different handles, so a
// thief cannot pop. orderings.md argues the orderings.

#include "bough/config.h"
#include "machine/atomics.h"
#include "queue/rings.h"
#include "queue/steal_result.h"

namespace bough {

template <class Atomics>
class basic_chase_lev {
public:
    class owner;
    class thief;

    explicit basic_chase_lev(std::size_t capacity = 64, unsigned patience = 64)
        : cells_(capacity, patience) {}

    // May be out of date at once. seq_cst: the last look of a thread that parks; pairs with push() (park/README.md).
    bool is_empty() const {
        return bottom_.load(std::memory_order_seq_cst) <= top_.load(std::memory_order_seq_cst);
    }

    // Owner: anything to pop?
    bool has_tasks() const {
        return bottom_.load(std::memory_order_relaxed) > top_.load(std::memory_order_relaxed);
    }

    // For a report: may be out of date at once.
    std::size_t size() const {
        const auto bottom = bottom_.load(std::memory_order_relaxed);
        const auto top = top_.load(std::memory_order_relaxed);
        return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
    }

    std::size_t capacity() const { return cells_.own().capacity(); }

    // Owner: where the next task will lie.
    queue_index next_place() const { return bottom_.load(std::memory_order_relaxed); }
    // Where the oldest task lies, if there is one. seq_cst: see thief::steal().
    queue_index oldest_place() const { return top_.load(std::memory_order_seq_cst); }

private:
    using index = queue_index;
    using atomic_index = typename Atomics::template atomic<index>;

    alignas(cache_line) atomic_index top_{0};
    alignas(cache_line) atomic_index bottom_{0};
    rings<Atomics> cells_;
};

template <class Atomics>
class basic_chase_lev<Atomics>::owner {
public:
    explicit owner(basic_chase_lev& q) : q_(q) {}

    // Amortised O(1). False: no memory, and the queue is unchanged.
    bool push(task& t) { return push_if_room(t) || push_after_growing(t); }

    // The newest task, or null.
    task* pop() {
        const index b = q_.bottom_.load(std::memory_order_relaxed) - 1;
        // An empty queue is seen without a locked operation: top only grows.
        if (b < q_.top_.load(std::memory_order_relaxed)) {
            if (q_.cells_.can_shrink()) [[unlikely]]
                q_.cells_.shrink_if_unused();
            return nullptr;
        }
        return take(b, q_.cells_.own().at(b).load(std::memory_order_relaxed));
    }

    // Pops t if it is the newest task and no thief takes it.
    bool pop(task& t) {
        const index b = q_.bottom_.load(std::memory_order_relaxed) - 1;
        // A cell whose task was stolen may still show t; take() compares top.
        return q_.cells_.own().at(b).load(std::memory_order_relaxed) == &t && take(b, &t) != nullptr;
    }

private:
    bool push_if_room(task& t) {
        const index b = q_.bottom_.load(std::memory_order_relaxed);
        // acquire: pairs with the thief's CAS of top; cells below top are free.
        const index top = q_.top_.load(std::memory_order_acquire);
        const ring<Atomics>& r = q_.cells_.own();
        if (!r.has_room_for(b - top)) [[unlikely]]
            return false;
        r.at(b).store(&t, std::memory_order_relaxed);
        // release: pairs with the load of bottom in steal(); the task is visible.
        q_.bottom_.store(b + 1, std::memory_order_release);
        // Orders the store before the load of the alarm, which the caller does next. Pairs with the heavy fence in
        // alarm::raise().
        Atomics::light_fence();
        return true;
    }

    BOUGH_NOINLINE bool push_after_growing(task& t) {
        return q_.cells_.grow(q_.top_.load(std::memory_order_relaxed),
                              q_.bottom_.load(std::memory_order_relaxed)) &&
               push_if_room(t);
    }

    // The task in the last cell, b, or null.
    task* take(index b, task* t) {
        // seq_cst, both: store-load pair with thief::steal(), which loads top, then bottom. If an owner and a thief
        // want the last task, at least one of them sees the other.
        q_.bottom_.store(b, std::memory_order_seq_cst);
        index top = q_.top_.load(std::memory_order_seq_cst);
        if (top > b) {  // a thief took it
            q_.bottom_.store(b + 1, std::memory_order_relaxed);
            return nullptr;
        }
        if (top == b) {  // the last one: race for it like a thief
            // relaxed: one thread wins, and the CAS publishes nothing else.
            if (!q_.top_.compare_exchange_strong(top, top + 1, std::memory_order_relaxed,
                                                 std::memory_order_relaxed))
                t = nullptr;
            q_.bottom_.store(b + 1, std::memory_order_relaxed);
        }
        return t;
    }

    basic_chase_lev& q_;
};

template <class Atomics>
class basic_chase_lev<Atomics>::thief {
public:
    explicit thief(basic_chase_lev& q) : q_(q) {}

    // The oldest task. retry: another thread moved top; there may be more tasks.
    steal_result steal() { return steal(q_.oldest_place()); }
    // The same, if it lies at this place, where oldest_place() saw one.
    steal_result steal(index top) {
        // seq_cst, here and in oldest_place(): the other half of take()'s store-load pair. As acquire, this load pairs
        // with push().
        const index b = q_.bottom_.load(std::memory_order_seq_cst);
        if (top >= b)
            return {steal_status::empty};
        return q_.cells_.steal(q_.top_, top);
    }

private:
    basic_chase_lev& q_;
};

using chase_lev = basic_chase_lev<machine::atomics>;

}  // namespace bough
