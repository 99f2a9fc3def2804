#pragma once
// A deque in two parts (Rito and Paulino, J. Sched. 2022; Custódio, Paulino and Rito, SPAA 2023). The upper part is
// public: a deque of Chase and Lev. The lower part is private: only the owner uses it, without any synchronisation. A
// thief that finds the public part empty asks. The owner, or a signal handler in its thread, then moves the boundary
// down. orderings.md argues the orderings.
//
//     top              boundary             bottom
//      |  public: thieves  |  private: owner  |

#include <algorithm>

#include "bough/config.h"
#include "bough/statistics.h"
#include "machine/atomics.h"
#include "queue/rings.h"
#include "queue/steal_result.h"

namespace bough {

// How many of its `tasks` private tasks an owner that is asked exposes.
struct expose_one {
    static constexpr queue_index of(queue_index tasks) { return tasks > 0 ? 1 : 0; }
};
struct expose_spare {  // one, if another one stays private
    static constexpr queue_index of(queue_index tasks) { return tasks > 1 ? 1 : 0; }
};
struct expose_half {
    static constexpr queue_index of(queue_index tasks) {
        return tasks >= 3 ? (tasks + 1) / 2 : expose_one::of(tasks);
    }
};

// What moves the boundary: the owner at its next push or pop, or a signal handler in its thread.
enum class exposure { by_owner, by_signal };

template <class Atomics, class Share, exposure By>
class basic_split {
public:
    class owner;
    class thief;

    static constexpr bool needs_signal = By == exposure::by_signal;

    explicit basic_split(std::size_t capacity = 64, unsigned patience = 64) : cells_(capacity, patience) {}

    // A private task counts only if a thief that asks for it may get it: a worker does not stay for other tasks. May be
    // out of date at once. seq_cst: the last look of a thread that parks; pairs with push() (park/README.md).
    bool is_empty() const {
        const index bottom = bottom_.load(std::memory_order_seq_cst);
        const index top = top_.load(std::memory_order_seq_cst);
        const index boundary = boundary_.load(std::memory_order_relaxed);
        if (top < std::min(bottom, boundary))
            return false;
        // An owner that has been asked exposes tasks only at its next push or pop; a signal handler does so soon.
        return Share::of(bottom - boundary) == 0 ||
               (By == exposure::by_owner && is_asked_.load(std::memory_order_relaxed));
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

    // Owner: where the next task will lie.
    queue_index next_place() const { return bottom_.load(std::memory_order_relaxed); }
    // Where the oldest task lies, if there is one. seq_cst: see thief::steal().
    queue_index oldest_place() const { return top_.load(std::memory_order_seq_cst); }
    // Can a thief take the task at this place? Asked after oldest_place(). The place of a private task is used again.
    // acquire: pairs with move_boundary().
    bool is_public(queue_index place) const { return place < boundary_.load(std::memory_order_acquire); }

private:
    using index = queue_index;
    using atomic_index = typename Atomics::template atomic<index>;

    alignas(cache_line) atomic_index top_{0};
    atomic_index boundary_{0};
    typename Atomics::template atomic<bool> is_asked_{false};
    alignas(cache_line) atomic_index bottom_{0};
    rings<Atomics> cells_;
};

template <class Atomics, class Share, exposure By>
class basic_split<Atomics, Share, By>::owner {
public:
    explicit owner(basic_split& q) : q_(q) {}

    // Amortised O(1). False: no memory, and the queue is unchanged.
    bool push(task& t) {
        const index b = q_.bottom_.load(std::memory_order_relaxed);
        // acquire: pairs with the thief's CAS of top; cells below top are free.
        const index top = q_.top_.load(std::memory_order_acquire);
        if (!q_.cells_.own().has_room_for(b - top) && !q_.cells_.grow(top, b)) [[unlikely]]
            return false;
        q_.cells_.own().at(b).store(&t, std::memory_order_relaxed);
        // A handler that sees the new bottom may expose the task: so the cell is stored first.
        Atomics::signal_fence();
        // release: pairs with is_empty(). A thief that sees the task sees the parts of loops around it (find_work.cpp).
        q_.bottom_.store(b + 1, std::memory_order_release);
        // If this load misses an ask, the ask came later, and the handler of its signal sees the new bottom.
        Atomics::signal_fence();
        if (q_.is_asked_.load(std::memory_order_relaxed)) [[unlikely]]
            attend_in_push();
        // Orders the store before the load of the alarm, which the caller does next. Pairs with the heavy fence in
        // alarm::raise().
        Atomics::light_fence();
        return true;
    }

    // The newest task, or null.
    task* pop() {
        const index b = q_.bottom_.load(std::memory_order_relaxed) - 1;
        return take(b, q_.cells_.own().at(b).load(std::memory_order_relaxed));
    }

    // Pops t if it is the newest task and no thief takes it.
    bool pop(task& t) {
        const index b = q_.bottom_.load(std::memory_order_relaxed) - 1;
        return q_.cells_.own().at(b).load(std::memory_order_relaxed) == &t && take(b, &t) != nullptr;
    }

    // Exposes as many tasks as a thief that asks is given. May be called from a signal handler in the owner's thread.
    void expose() {
        const index boundary = q_.boundary_.load(std::memory_order_relaxed);
        move_boundary(boundary, Share::of(q_.bottom_.load(std::memory_order_relaxed) - boundary));
    }
    // For an owner that leaves or blocks. True: thieves can now take tasks that is_empty() may not have counted, so the
    // caller must read the alarm.
    bool expose_all() {
        const index boundary = q_.boundary_.load(std::memory_order_relaxed);
        return give(boundary, q_.bottom_.load(std::memory_order_relaxed) - boundary);
    }
    // After a pop: if thieves have asked, and no signal handler serves them, exposes what they get. True: as above.
    bool attend() {
        if (By != exposure::by_owner || !q_.is_asked_.load(std::memory_order_relaxed)) [[likely]]
            return false;
        const index boundary = q_.boundary_.load(std::memory_order_relaxed);
        return give(boundary, Share::of(q_.bottom_.load(std::memory_order_relaxed) - boundary));
    }

    // Thieves may ask again. release: pairs with the exchange in ask(); the thief that asks next then reads this
    // owner's number, not the former owner's (private_queue::change_owner).
    void forget_asks() { q_.is_asked_.store(false, std::memory_order_release); }

private:
    void attend_in_push() {
        if constexpr (By == exposure::by_owner)
            return expose();
        forget_asks();  // there was nothing to expose when the thief asked; now there may be
    }

    // Exposes tasks outside of a push, and not from a signal handler.
    bool give(index from, index tasks) {
        if (tasks <= 0)
            return false;
        move_boundary(from, tasks);
        // Orders the store of the boundary before the load of the alarm, which the owner does next: is_empty() may not
        // have counted these tasks. Pairs with the heavy fence in alarm::raise().
        Atomics::light_fence();
        return true;
    }

    void move_boundary(index from, index tasks) {
        if (tasks <= 0)
            return;
        Atomics::signal_fence();  // pairs with push(): a handler that saw the bottom sees the cells below it
        Atomics::count(event::exposed, static_cast<unsigned long>(tasks));
        // release: pairs with the load of boundary in steal(); the tasks are visible.
        q_.boundary_.store(from + tasks, std::memory_order_release);
        forget_asks();
    }

    task* take(index b, task* t) {
        // Bottom is stored before the boundary is read: a handler that runs in between does not expose this task.
        q_.bottom_.store(b, std::memory_order_relaxed);
        Atomics::signal_fence();
        if (b < q_.boundary_.load(std::memory_order_relaxed)) [[unlikely]]
            return take_public(b, t);
        return t;
    }

    // No private task is left. The task in the last cell, b, is public, if no thief has taken it. From here on a signal
    // handler finds nothing to expose.
    BOUGH_NOINLINE task* take_public(index b, task* t) {
        index top = q_.top_.load(std::memory_order_relaxed);
        if (b >= top) {
            // seq_cst, both: store-load pair with thief::steal(), which loads top, then boundary.
            q_.boundary_.store(b, std::memory_order_seq_cst);
            top = q_.top_.load(std::memory_order_seq_cst);
            if (top < b) {
                Atomics::count(event::exposed_unstolen, 1);
                return t;
            }
            // relaxed: one thread wins, and the CAS publishes nothing else.
            if (top > b || !q_.top_.compare_exchange_strong(top, top + 1, std::memory_order_relaxed,
                                                            std::memory_order_relaxed))
                t = nullptr;
            else
                Atomics::count(event::exposed_unstolen, 1);
        } else {
            t = nullptr;
            if (q_.cells_.can_shrink())
                q_.cells_.shrink_if_unused();
        }
        q_.boundary_.store(b + 1, std::memory_order_relaxed);
        q_.bottom_.store(b + 1, std::memory_order_relaxed);
        return t;
    }

    basic_split& q_;
};

template <class Atomics, class Share, exposure By>
class basic_split<Atomics, Share, By>::thief {
public:
    explicit thief(basic_split& q) : q_(q) {}

    // The oldest public task. private_work: there are only private tasks; ask() asks for them.
    steal_result steal() { return steal(q_.oldest_place()); }
    // The same, if it lies at this place, where oldest_place() saw one.
    steal_result steal(index top) {
        // seq_cst, here and in oldest_place(): the other half of take_public()'s store-load pair. As acquire, this load
        // pairs with move_boundary().
        const index boundary = q_.boundary_.load(std::memory_order_seq_cst);
        if (top >= boundary)
            return {Share::of(q_.bottom_.load(std::memory_order_relaxed) - boundary) > 0
                        ? steal_status::private_work
                        : steal_status::empty};
        return q_.cells_.steal(q_.top_, top);
    }

    // True: this thief is the one that asked, and sends the signal, if the queue needs one.
    bool ask() {
        return !q_.is_asked_.load(std::memory_order_relaxed) &&
               // acquire: pairs with forget_asks().
               !q_.is_asked_.exchange(true, std::memory_order_acquire);
    }
    // For a thief that could not send the signal: another thief may ask.
    // release: pairs with the exchange in ask(), as in forget_asks(), which may have come before. The thief that asks
    // next reads the number of the owner that this thread knew, or of a later one.
    void take_back() { q_.is_asked_.store(false, std::memory_order_release); }

private:
    basic_split& q_;
};

}  // namespace bough
