#pragma once
// Where a waiting worker is handed work. Three lines, each written by as few as can be: the door, by whoever opens or
// closes it; the slip with the assignment, by senders only, polled by the receiver; and what the receiver has begun.
// hand_off.md has the protocol. Invariant: a slip is written by the sender that closed the door on its ticket,
// and read by whoever settled that ticket; so it is never read while it is written.

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

    // Numbers the openings of a door, and with them what came through it. Never used twice.
    using ticket = std::uint64_t;

    // ---- the slot's thread ----

    // From here on somebody may hand work over, and expects it to be run at once.
    void open() {
        if (is_open_)
            return;
        is_open_ = true;
        // release: pairs with try_hand_off(); the last assignment has been read.
        door_.store(++ticket_, std::memory_order_release);
    }

    // The assignment that has come, if one has; then the cell is closed and it must be run.
    std::optional<assignment> receive() {
        // acquire: pairs with try_hand_off().
        const std::uint64_t w = slip_.load(std::memory_order_acquire);
        if (!is_open_ || w >> state_bits != ticket_)
            return std::nullopt;
        return take(w);
    }

    // Closes the cell. What had come before is returned and must be run.
    std::optional<assignment> close() {
        typename Atomics::spin_wait sender;
        while (is_open_) {
            ticket d = ticket_;
            if (door_.compare_exchange_strong(d, door_closed, std::memory_order_relaxed)) {
                is_open_ = false;
            } else {
                if (auto got = receive())
                    return got;
                sender.pause();  // it writes the slip, or takes its assignment back
            }
        }
        return std::nullopt;
    }

    // ---- any thread ----

    // relaxed: a hint; try_hand_off() decides.
    bool is_waiting() const { return door_.load(std::memory_order_relaxed) != door_closed; }

    void prefetch() const { machine::prefetch_to_write(&door_); }

    // Hands `a` over if the thread is waiting. The assignment and the word that says so travel in one line, and as
    // nobody else writes it, in one transfer.
    std::optional<ticket> try_hand_off(const assignment& a) {
        ticket d = door_.load(std::memory_order_relaxed);
        // acquire: pairs with open(); the receiver has read the last assignment.
        if (d == door_closed || !door_.compare_exchange_strong(d, door_closed, std::memory_order_acquire,
                                                               std::memory_order_relaxed))
            return std::nullopt;
        assignment_.write([&a](assignment& slip) { a.copy_to(slip); });
        // release: pairs with receive().
        slip_.store(slip(d, ready), std::memory_order_release);
        return d;
    }

    // Takes an assignment back that its receiver has not begun: it may have lost its CPU. By its sender only.
    std::optional<assignment> revoke(ticket t) {
        std::uint64_t w = slip(t, ready);
        // The first look spares the usual case, that it has been begun, what comes next.
        if (begun_.load(std::memory_order_relaxed) >= t ||
            !slip_.compare_exchange_strong(w, slip(t, revoked), std::memory_order_relaxed))
            return std::nullopt;
        // Store-load pair with take(): if the receiver has not said that it begins, it will see `revoked`.
        Atomics::heavy_fence();
        if (begun_.load(std::memory_order_relaxed) >= t)
            return std::nullopt;
        w = slip(t, revoked);
        // Who has it? acquire is not needed: the assignment is this thread's own.
        if (!slip_.compare_exchange_strong(w, slip(t, withdrawing), std::memory_order_relaxed))
            return std::nullopt;
        const assignment mine = assignment_.get();
        // release: pairs with take(); the next sender may write. The door stays closed until the receiver opens it: a
        // thread without a CPU shall not be handed more.
        slip_.store(slip(t, withdrawn), std::memory_order_release);
        return mine;
    }

private:
    enum state : std::uint64_t {
        ready,        // the assignment is there
        revoked,      // its sender wants it back; receiver and sender decide by CAS who has it
        taken,        // the receiver has it
        withdrawing,  // the sender has it, and reads it
        withdrawn,    // the sender has read it
    };
    static constexpr unsigned state_bits = 3;
    static constexpr std::uint64_t slip(ticket t, state s) { return t << state_bits | s; }

    // The open door shows the ticket that it is open for.
    static constexpr ticket door_closed = 0;

    std::optional<assignment> take(std::uint64_t w) {
        if (w == slip(ticket_, withdrawn)) {  // while this thread did not run
            is_open_ = false;
            open();
            return std::nullopt;
        }
        if (w == slip(ticket_, withdrawing))
            return std::nullopt;
        const assignment& its = assignment_.get();
        for (unsigned line = 0; line < job_lines && its.job; ++line)
            __builtin_prefetch(reinterpret_cast<const char*>(its.job) + line * cache_line);
        if (its.parent)
            __builtin_prefetch(&its.parent->job);
        begun_.store(ticket_, std::memory_order_relaxed);
        // Store-load pair with revoke(), which has the heavy fence.
        Atomics::light_fence();
        // relaxed: receive() has seen `ready` of this ticket, and acquired with it what the sender wrote.
        w = slip_.load(std::memory_order_relaxed);
        if (w == slip(ticket_, ready) ||
            (w == slip(ticket_, revoked) &&
             slip_.compare_exchange_strong(w, slip(ticket_, taken), std::memory_order_relaxed))) {
            is_open_ = false;
            return assignment_.get();
        }
        return std::nullopt;
    }

    template <class T>
    using atomic = typename Atomics::template atomic<T>;

    alignas(cache_line) atomic<ticket> door_{door_closed};

    alignas(cache_line) atomic<std::uint64_t> slip_{slip(0, taken)};
    typename Atomics::template plain<assignment> assignment_;

    // The receiver's line: the newest ticket that it has begun, or was about to, and the one that it waits with.
    alignas(cache_line) atomic<ticket> begun_{0};
    ticket ticket_ = 0;
    bool is_open_ = false;
};

using hand_off_cell = basic_hand_off_cell<machine::atomics>;

}  // namespace bough
