#pragma once
// The local queue of a slot: the dynamic circular work-stealing deque of Chase and Lev (SPAA 2005), without fences.
// One owner pushes and pops at the bottom, thieves take from the top; the two hold different handles, so a thief cannot
// pop. README.md argues the orderings. Old rings are kept until the queue dies: a slow thief may still read one; as
// sizes double, they are never more than the last one.

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "bough/config.h"
#include "bough/detail/task.h"
#include "machine/asymmetric_fence.h"

namespace bough {

using detail::task;

enum class steal_status { success, empty, retry };

struct steal_result {
    steal_status status;
    task* stolen;  // null unless success
};

class chase_lev {
public:
    class owner;
    class thief;

    explicit chase_lev(std::size_t capacity = 64) {
        ring_.store(add_ring(capacity), std::memory_order_relaxed);
    }
    chase_lev(const chase_lev&) = delete;
    chase_lev& operator=(const chase_lev&) = delete;

    // May be out of date at once. seq_cst: the last look of a parking thread, against push() (park/README.md).
    bool is_empty() const {
        return bottom_.load(std::memory_order_seq_cst) <= top_.load(std::memory_order_seq_cst);
    }

    // Owner: anything to pop?
    bool has_tasks() const {
        return bottom_.load(std::memory_order_relaxed) > top_.load(std::memory_order_relaxed);
    }

private:
    using index = std::int64_t;

    struct ring {
        explicit ring(std::size_t capacity) : mask(capacity - 1), cells(new std::atomic<task*>[capacity]) {}
        std::atomic<task*>& at(index i) const { return cells[static_cast<std::size_t>(i) & mask]; }
        std::size_t mask;
        std::unique_ptr<std::atomic<task*>[]> cells;
    };

    ring* add_ring(std::size_t capacity) {
        rings_.push_back(std::make_unique<ring>(capacity));
        return rings_.back().get();
    }

    ring* grow(ring* full, index top, index bottom) {
        ring* larger = add_ring((full->mask + 1) * 2);
        for (index i = top; i < bottom; ++i)
            larger->at(i).store(full->at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
        // release: pairs with the acquire in thief::steal; the copied cells are visible.
        ring_.store(larger, std::memory_order_release);
        return larger;
    }

    alignas(cache_line) std::atomic<index> top_{0};
    alignas(cache_line) std::atomic<index> bottom_{0};
    std::atomic<ring*> ring_{nullptr};
    std::vector<std::unique_ptr<ring>> rings_;  // owner only
};

class chase_lev::owner {
public:
    explicit owner(chase_lev& q) : q_(q) {}

    // Amortised O(1). Throws std::bad_alloc, and then the queue is as it was.
    void push(task& t) {
        const index b = q_.bottom_.load(std::memory_order_relaxed);
        const index top = q_.top_.load(
            std::memory_order_acquire);  // acquire: pairs with the thief's CAS; cells below top are free
        ring* r = q_.ring_.load(std::memory_order_relaxed);
        if (b - top > static_cast<index>(r->mask))
            r = q_.grow(r, top, b);
        r->at(b).store(&t, std::memory_order_relaxed);
        // release: pairs with the acquire of bottom in steal; the task is visible.
        q_.bottom_.store(b + 1, std::memory_order_release);
        // Store-load pair with the alarm that the spawning thread reads next; the heavy fence is in alarm::raise().
        machine::light_fence();
    }

    // The newest task, or null.
    task* pop() {
        const index b = q_.bottom_.load(std::memory_order_relaxed) - 1;
        // Nothing to take, seen without a locked operation: top only grows.
        if (b < q_.top_.load(std::memory_order_relaxed))
            return nullptr;
        return take(b, q_.ring_.load(std::memory_order_relaxed)->at(b).load(std::memory_order_relaxed));
    }

    // Pops t if it is the newest task, and nobody steals it.
    bool pop(task& t) {
        const index b = q_.bottom_.load(std::memory_order_relaxed) - 1;
        // A cell that was stolen from may still show t.
        return q_.ring_.load(std::memory_order_relaxed)->at(b).load(std::memory_order_relaxed) == &t &&
               take(b, &t) != nullptr;
    }

private:
    // The task in the last cell, b, or null.
    task* take(index b, task* t) {
        // seq_cst: store-load pair with thief::steal (loads top, then bottom): of an owner and a thief that want the
        // last task at least one sees the other.
        q_.bottom_.store(b, std::memory_order_seq_cst);
        index top = q_.top_.load(std::memory_order_seq_cst);
        if (top > b) {  // a thief took it
            q_.bottom_.store(b + 1, std::memory_order_relaxed);
            return nullptr;
        }
        if (top == b) {  // the last one: race for it like a thief
            if (!q_.top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                                 std::memory_order_relaxed))
                t = nullptr;
            q_.bottom_.store(b + 1, std::memory_order_relaxed);
        }
        return t;
    }

    chase_lev& q_;
};

class chase_lev::thief {
public:
    explicit thief(chase_lev& q) : q_(q) {}

    // The oldest task. retry: somebody else moved top; there may be more.
    steal_result steal() {
        index top = q_.top_.load(std::memory_order_seq_cst);
        // seq_cst: the other half of pop's store-load pair; acquire: pairs with push.
        const index b = q_.bottom_.load(std::memory_order_seq_cst);
        if (top >= b)
            return {steal_status::empty, nullptr};
        // Read before the CAS: afterwards the owner may overwrite the cell. acquire: pairs with grow.
        task* t = q_.ring_.load(std::memory_order_acquire)->at(top).load(std::memory_order_relaxed);
        if (!q_.top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                             std::memory_order_relaxed))
            return {steal_status::retry, nullptr};
        return {steal_status::success, t};
    }

private:
    chase_lev& q_;
};

}  // namespace bough
