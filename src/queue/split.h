#pragma once
// A deque in two parts (Rito and Paulino, J. Sched. 2022; Custódio, Paulino and Rito, SPAA 2023): the upper one is
// public, and as Chase and Lev's; the lower one is its owner's alone, without any synchronisation. A thief that finds
// the public part empty asks; the owner, or a signal handler in its thread, moves the boundary down. README.md argues
// the orderings.
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

// How many of so many private tasks an owner that is asked gives away.
struct expose_one {
    static constexpr queue_index of(queue_index tasks) { return tasks > 0 ? 1 : 0; }
};
struct expose_spare {  // one, if another is left
    static constexpr queue_index of(queue_index tasks) { return tasks > 1 ? 1 : 0; }
};
struct expose_half {
    static constexpr queue_index of(queue_index tasks) {
        return tasks >= 3 ? (tasks + 1) / 2 : expose_one::of(tasks);
    }
};

// Who moves the boundary: the owner, when it next comes to its queue, or a signal handler in its thread.
enum class exposure { by_owner, by_signal };

template <class Atomics, class Share, exposure By>
class basic_split {
public:
    class owner;
    class thief;

    static constexpr bool needs_signal = By == exposure::by_signal;

    explicit basic_split(std::size_t capacity = 64, unsigned patience = 64) : cells_(capacity, patience) {}

    // Private tasks count, as long as asking for them may bring something: a thief waits for no others. May be out of
    // date at once. seq_cst: the last look of a parking thread, against push() (park/README.md).
    bool is_empty() const {
        const index bottom = bottom_.load(std::memory_order_seq_cst);
        const index top = top_.load(std::memory_order_seq_cst);
        const index boundary = boundary_.load(std::memory_order_relaxed);
        if (top < std::min(bottom, boundary))
            return false;
        // An owner that has been asked gives when it next comes to its queue; a handler gives soon.
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

    // Amortised O(1). False: no memory, and then the queue is as it was.
    bool push(task& t) {
        const index b = q_.bottom_.load(std::memory_order_relaxed);
        // acquire: pairs with the thief's CAS; cells below top are free.
        const index top = q_.top_.load(std::memory_order_acquire);
        if (!q_.cells_.own().has_room_for(b - top) && !q_.cells_.grow(top, b)) [[unlikely]]
            return false;
        q_.cells_.own().at(b).store(&t, std::memory_order_relaxed);
        // A handler that sees the new bottom may expose the task.
        Atomics::signal_fence();
        q_.bottom_.store(b + 1, std::memory_order_relaxed);
        // An ask that is not seen here came later: its signal's handler sees the new bottom.
        Atomics::signal_fence();
        if (q_.is_asked_.load(std::memory_order_relaxed)) [[unlikely]]
            attend_in_push();
        // Store-load pair with the alarm that the spawning thread reads next; the heavy fence is in alarm::raise().
        Atomics::light_fence();
        return true;
    }

    // The newest task, or null.
    task* pop() {
        const index b = q_.bottom_.load(std::memory_order_relaxed) - 1;
        return take(b, q_.cells_.own().at(b).load(std::memory_order_relaxed));
    }

    // Pops t if it is the newest task, and nobody steals it.
    bool pop(task& t) {
        const index b = q_.bottom_.load(std::memory_order_relaxed) - 1;
        return q_.cells_.own().at(b).load(std::memory_order_relaxed) == &t && take(b, &t) != nullptr;
    }

    // Moves the boundary down, as far as it goes for one who asks. Also from a signal handler of the owner's thread.
    void expose() {
        const index boundary = q_.boundary_.load(std::memory_order_relaxed);
        move_boundary(boundary, Share::of(q_.bottom_.load(std::memory_order_relaxed) - boundary));
    }
    // For an owner that goes, or blocks. True: what nobody counted may be had now, and somebody may have to be called.
    bool expose_all() {
        const index boundary = q_.boundary_.load(std::memory_order_relaxed);
        return give(boundary, q_.bottom_.load(std::memory_order_relaxed) - boundary);
    }
    // After a pop: gives what was asked for, if the owner is the one who does. True: as above.
    bool attend() {
        if (By != exposure::by_owner || !q_.is_asked_.load(std::memory_order_relaxed)) [[likely]]
            return false;
        const index boundary = q_.boundary_.load(std::memory_order_relaxed);
        return give(boundary, Share::of(q_.bottom_.load(std::memory_order_relaxed) - boundary));
    }

    // Those who ask may ask again. release: pairs with ask(), whose caller then knows this owner, not the one before
    // (private_queue::change_owner).
    void forget_asks() { q_.is_asked_.store(false, std::memory_order_release); }

private:
    void attend_in_push() {
        if constexpr (By == exposure::by_owner)
            return expose();
        forget_asks();  // what was asked for was not there; now it may be
    }

    // Outside of a push, and not from a handler.
    bool give(index from, index tasks) {
        if (tasks <= 0)
            return false;
        move_boundary(from, tasks);
        // Store-load pair with the alarm, which the owner reads next: is_empty() has not counted these tasks. The heavy
        // fence is in alarm::raise().
        Atomics::light_fence();
        return true;
    }

    void move_boundary(index from, index tasks) {
        if (tasks <= 0)
            return;
        Atomics::signal_fence();  // pairs with push(): the handler gives on what it has seen
        Atomics::count(event::exposed, static_cast<unsigned long>(tasks));
        // release: pairs with the load of boundary in steal; the tasks are visible.
        q_.boundary_.store(from + tasks, std::memory_order_release);
        forget_asks();
    }

    task* take(index b, task* t) {
        // Before the boundary is read: a handler in between exposes no more than what is left without the task.
        q_.bottom_.store(b, std::memory_order_relaxed);
        Atomics::signal_fence();
        if (b < q_.boundary_.load(std::memory_order_relaxed)) [[unlikely]]
            return take_public(b, t);
        return t;
    }

    // Nothing private is left, and the task in the last cell, b, is public, if it is still there. From here a handler
    // finds nothing to expose.
    BOUGH_NOINLINE task* take_public(index b, task* t) {
        index top = q_.top_.load(std::memory_order_relaxed);
        if (b >= top) {
            // seq_cst: store-load pair with thief::steal (loads top, then boundary).
            q_.boundary_.store(b, std::memory_order_seq_cst);
            top = q_.top_.load(std::memory_order_seq_cst);
            if (top < b) {
                Atomics::count(event::exposed_unstolen, 1);
                return t;
            }
            // relaxed: only one can win; nobody learns more from it.
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

    // The oldest public task. private_work: ask for it.
    steal_result steal() {
        // seq_cst, both: the other half of take_public()'s store-load pair; acquire: pairs with move_boundary().
        const index top = q_.top_.load(std::memory_order_seq_cst);
        const index boundary = q_.boundary_.load(std::memory_order_seq_cst);
        if (top >= boundary)
            return {Share::of(q_.bottom_.load(std::memory_order_relaxed) - boundary) > 0
                        ? steal_status::private_work
                        : steal_status::empty};
        return q_.cells_.steal(q_.top_, top);
    }

    // True for the one who is to send a signal, if it takes one.
    bool ask() {
        return !q_.is_asked_.load(std::memory_order_relaxed) &&
               // acquire: pairs with forget_asks().
               !q_.is_asked_.exchange(true, std::memory_order_acquire);
    }
    // It could not.
    // release: pairs with ask(), as forget_asks() does, which may come before it: whoever asks next knows the owner
    // that this thread knew, or a later one.
    void take_back() { q_.is_asked_.store(false, std::memory_order_release); }

private:
    basic_split& q_;
};

}  // namespace bough
