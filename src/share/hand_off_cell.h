#pragma once
// Where a waiting worker receives an assignment. The cell has three lines: the door, which the receiver opens and a
// sender closes; the slip with the assignment, which senders write and the receiver polls; and what the receiver has
// begun. README.md "Hand-off" has the protocol, orderings.md the orderings. Invariant: a sender writes the assignment
// only after it has closed the door and before it stores `ready`. Both sides read it only from then on until the
// receiver opens the door again. So no thread reads it while another one writes it.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "bough/config.h"
#include "machine/atomics.h"
#include "share/loop_part.h"

namespace bough {

template <class Atomics>
class basic_hand_off_cell {
public:
    using assignment = basic_assignment<Atomics>;

    // Numbers the openings of the door, and so the assignments. No number is used twice.
    using ticket = std::uint64_t;

    // ---- the slot's thread ----

    // From here on a sender may hand an assignment over, and expects that it is run at once.
    void open() {
        if (is_open_)
            return;
        is_open_ = true;
        // release: pairs with the CAS in try_hand_off(); the last assignment has been read.
        door_.store(++ticket_, std::memory_order_release);
    }

    // Returns the assignment that has come, if there is one. Then the cell is closed, and the receiver must run it.
    std::optional<assignment> receive() {
        // acquire: pairs with the stores of the slip in try_hand_off() and revoke().
        const std::uint64_t w = slip_.load(std::memory_order_acquire);
        if (!is_open_ || w >> state_bits != ticket_)
            return std::nullopt;
        return take(w);
    }

    // Closes the cell. Returns the assignment that came before, if there is one: the receiver must run it.
    std::optional<assignment> close() {
        typename Atomics::spin_wait sender;
        while (is_open_) {
            ticket d = ticket_;
            if (door_.compare_exchange_strong(d, door_closed, std::memory_order_relaxed)) {
                is_open_ = false;
            } else {
                if (auto got = receive())
                    return got;
                sender.pause();  // the sender writes the slip, or takes its assignment back
            }
        }
        return std::nullopt;
    }

    // ---- any thread ----

    // relaxed: a hint; try_hand_off() decides.
    bool is_waiting() const { return door_.load(std::memory_order_relaxed) != door_closed; }

    void prefetch() const { machine::prefetch_to_write(&door_); }

    // Hands `a` over if the slot's thread is waiting. The assignment and the state share a line. No other thread writes
    // that line meanwhile, so they travel in one transfer.
    std::optional<ticket> try_hand_off(const assignment& a) {
        ticket d = door_.load(std::memory_order_relaxed);
        // acquire: pairs with the store in open(); the receiver has read the last assignment.
        if (d == door_closed || !door_.compare_exchange_strong(d, door_closed, std::memory_order_acquire,
                                                               std::memory_order_relaxed))
            return std::nullopt;
        assignment_.write([&a](assignment& slip) { a.copy_to(slip); });
        // release: pairs with the load in receive(); the assignment is visible.
        slip_.store(slip(d, ready), std::memory_order_release);
        return d;
    }

    // For the sender of t only. Takes the assignment back if the receiver has not begun it: the receiver may have lost
    // its CPU.
    std::optional<assignment> revoke(ticket t) {
        std::uint64_t w = slip(t, ready);
        // Usually the receiver has begun the assignment. Then this first look spares the sender the rest.
        if (begun_.load(std::memory_order_relaxed) >= t ||
            !slip_.compare_exchange_strong(w, slip(t, revoked), std::memory_order_relaxed))
            return std::nullopt;
        // Store-load pair with the light fence in take(): if the next load does not see that the receiver has begun,
        // the receiver will see `revoked`.
        Atomics::heavy_fence();
        if (begun_.load(std::memory_order_relaxed) >= t)
            return std::nullopt;
        w = slip(t, revoked);
        // This CAS, or the receiver's in take(), decides who has the assignment. relaxed: this thread wrote it itself.
        if (!slip_.compare_exchange_strong(w, slip(t, withdrawing), std::memory_order_relaxed))
            return std::nullopt;
        const assignment mine = assignment_.get();
        // release: pairs with the load in receive(); after the receiver has opened the door, the next sender may write.
        // Until then the door stays closed: a thread without a CPU is handed nothing more.
        slip_.store(slip(t, withdrawn), std::memory_order_release);
        return mine;
    }

private:
    enum state : std::uint64_t {
        ready,        // the assignment is there
        revoked,      // its sender wants it back; a CAS of the receiver or the sender decides who has it
        taken,        // the receiver has it
        withdrawing,  // the sender has it, and reads it
        withdrawn,    // the sender has read it
    };
    static constexpr unsigned state_bits = 3;
    static constexpr std::uint64_t slip(ticket t, state s) { return t << state_bits | s; }

    // The open door shows the ticket that it is open for.
    static constexpr ticket door_closed = 0;

    std::optional<assignment> take(std::uint64_t w) {
        if (w == slip(ticket_, withdrawn)) {  // the sender took it back while this thread did not run
            is_open_ = false;
            open();
            return std::nullopt;
        }
        if (w == slip(ticket_, withdrawing))
            return std::nullopt;
        const assignment& its = assignment_.get();
        if (its.job)
            prefetch_of(its);
        begun_.store(ticket_, std::memory_order_relaxed);
        // Store-load pair with the heavy fence in revoke().
        Atomics::light_fence();
        // relaxed: receive() has acquired what the sender wrote, with `ready` or with `revoked`. The latter is a CAS,
        // which continues the release sequence of `ready`.
        w = slip_.load(std::memory_order_relaxed);
        if (w == slip(ticket_, ready) ||
            (w == slip(ticket_, revoked) &&
             slip_.compare_exchange_strong(w, slip(ticket_, taken), std::memory_order_relaxed))) {
            is_open_ = false;
            return assignment_.get();
        }
        return std::nullopt;
    }

    // What the receiver reads first. Of the team's list that is the front half, where its children's numbers lie.
    static void prefetch_of(const assignment& its) {
        for (unsigned line = 0; line < job_lines; ++line)
            __builtin_prefetch(reinterpret_cast<const char*>(its.job) + line * cache_line);
        if (its.parent)
            __builtin_prefetch(&its.parent->job);
        constexpr unsigned a_line = cache_line / sizeof(*its.team), most = 2 * a_line;
        const unsigned below = its.team_last - its.team_first;
        for (unsigned i = below / 2, n = 0; below != 0 && n < most; i -= std::min(i, a_line), n += a_line)
            __builtin_prefetch(its.team + its.team_first + i);
    }

    template <class T>
    using atomic = typename Atomics::template atomic<T>;

    alignas(cache_line) atomic<ticket> door_{door_closed};

    alignas(cache_line) atomic<std::uint64_t> slip_{slip(0, taken)};
    typename Atomics::template plain<assignment> assignment_;

    // The receiver's line: the newest ticket that it has begun, or was about to begin, and the ticket that it waits
    // with.
    alignas(cache_line) atomic<ticket> begun_{0};
    ticket ticket_ = 0;
    bool is_open_ = false;
};

using hand_off_cell = basic_hand_off_cell<machine::atomics>;

}  // namespace bough
