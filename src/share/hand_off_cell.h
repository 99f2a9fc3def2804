#pragma once
// Where a waiting worker is handed work: one cache line with a state and the assignment itself. README.md "Hand-off".
// Invariant: the assignment is written in state `filling` by the sender that set it, and read by the receiver that took
// it in `ready` or `revoked`, or by the sender in `withdrawing`; so it is never read while it is written.

#include <atomic>
#include <cstdint>
#include <optional>

#include "bough/config.h"
#include "machine/pause.h"
#include "share/loop_part.h"

namespace bough {

class hand_off_cell {
public:
    // Names one hand-off through this cell; the cell counts them, so that a late sender cannot mean another's.
    using ticket = std::uint32_t;

    // ---- the slot's thread ----

    // From here on somebody may hand work over, and expects it to be run at once.
    void open() {
        if (open_)
            return;
        open_ = true;
        // release: pairs with the sender's CAS; the last assignment has been read.
        const std::uint32_t next = (word_.load(std::memory_order_relaxed) & ~state_mask) + one_ticket;
        word_.store(next | waiting, std::memory_order_release);
        // After the word, hence release: a sender that sees it finds its ticket gone. The other way round it could take
        // back what has been run.
        running_.store(false, std::memory_order_release);
    }

    // The assignment that has come, if one has; then the cell is closed and it must be run.
    std::optional<assignment> receive() {
        if (!open_)
            return std::nullopt;
        const std::uint32_t w = word_.load(std::memory_order_acquire);
        if ((w & state_mask) == waiting)
            return std::nullopt;
        return take(w);
    }

    // Closes the cell. What had come before is returned and must be run.
    std::optional<assignment> close() {
        while (open_) {
            std::uint32_t w = word_.load(std::memory_order_acquire);
            if ((w & state_mask) != waiting) {
                if (auto got = take(w))
                    return got;
                machine::pause();  // a sender is filling the cell, or takes its assignment back
            } else if (word_.compare_exchange_strong(w, with(w, busy), std::memory_order_relaxed)) {
                open_ = false;
            }
        }
        return std::nullopt;
    }

    // ---- any thread ----

    // relaxed: a hint; offer() decides.
    bool is_waiting() const { return (word_.load(std::memory_order_relaxed) & state_mask) == waiting; }

    void prefetch() const { __builtin_prefetch(&word_, 1); }

    // Hands `a` over if the thread is waiting. Two steps, so that the assignment travels in the line that the receiver
    // polls: one transfer and not two.
    std::optional<ticket> offer(const assignment& a) {
        std::uint32_t w = word_.load(std::memory_order_relaxed);
        // acquire: pairs with open(); the receiver has read the last assignment.
        if ((w & state_mask) != waiting ||
            !word_.compare_exchange_strong(w, with(w, filling), std::memory_order_acquire,
                                           std::memory_order_relaxed))
            return std::nullopt;
        assignment_ = a;
        // release: pairs with receive().
        word_.store(with(w, ready), std::memory_order_release);
        return w & ~state_mask;
    }

    // Takes an assignment back that its receiver has not begun: it may have lost its CPU. By its sender only.
    std::optional<assignment> revoke(ticket t) {
        std::uint32_t w = t | ready;
        // seq_cst: store-load pair with take(): if the receiver has not said that it runs, it will see `revoked`.
        if (!word_.compare_exchange_strong(w, t | revoked, std::memory_order_seq_cst,
                                           std::memory_order_relaxed))
            return std::nullopt;
        // It runs, or it will see `revoked` and take the assignment itself. acquire: pairs with open(): false may also
        // mean that it has run and opened the cell again, and then the next CAS fails.
        if (running_.load(std::memory_order_seq_cst))
            return std::nullopt;
        w = t | revoked;
        if (!word_.compare_exchange_strong(w, t | withdrawing, std::memory_order_acquire,
                                           std::memory_order_relaxed))
            return std::nullopt;
        const assignment mine = assignment_;
        // Not `waiting`: a thread without a CPU shall not be offered more. It opens the cell again when it runs.
        word_.store(t | busy, std::memory_order_release);
        return mine;
    }

private:
    enum state : std::uint32_t {
        busy,         // not waiting
        waiting,      // for an assignment
        filling,      // a sender writes one
        ready,        // it is there
        revoked,      // its sender wants it back; receiver and sender decide by CAS who has it
        withdrawing,  // the sender has it, and reads it
    };
    static constexpr std::uint32_t state_mask = 7;
    static constexpr std::uint32_t one_ticket = 8;
    static std::uint32_t with(std::uint32_t w, state s) { return (w & ~state_mask) | s; }

    std::optional<assignment> take(std::uint32_t w) {
        switch (w & state_mask) {
        case busy:  // taken back while this thread did not run
            open_ = false;
            open();
            return std::nullopt;
        case ready:
        case revoked:
            break;
        default:
            return std::nullopt;
        }
        // seq_cst, both: pairs with revoke().
        running_.exchange(true, std::memory_order_seq_cst);
        w = word_.load(std::memory_order_seq_cst);
        if ((w & state_mask) == ready ||
            ((w & state_mask) == revoked &&
             word_.compare_exchange_strong(w, with(w, busy), std::memory_order_acquire,
                                           std::memory_order_relaxed))) {
            open_ = false;
            return assignment_;
        }
        running_.store(false, std::memory_order_relaxed);
        return std::nullopt;
    }

    // The line that sender and receiver share.
    alignas(cache_line) std::atomic<std::uint32_t> word_{busy};
    assignment assignment_;

    // The receiver's line.
    alignas(cache_line) std::atomic<bool> running_{false};  // it has begun, or is about to
    bool open_ = false;                                     // receiver only
};

}  // namespace bough
