#pragma once
// The arenas that wait for a worker, as workers see them without the crew's mutex: how urgent the crew's list is
// (crew.cpp), and when a worker's turn elsewhere ends for it. leaving.md says who obeys.

#include <atomic>

#include "machine/clock.h"

namespace bough {

// Written under the crew's mutex, but for the claim of a turn's end. relaxed throughout: these are hints, and a worker
// that reads an old value, or values of two lists, asks again. Before it goes it looks at what it leaves.
class requests {
public:
    struct waiting {
        const void* arena = nullptr;  // null: none waits
        int rank = 0;                 // of its priority, from 1 on
    };

    // The first two of the list, in which no rank is higher than one before it. A turn elsewhere ends after `turn`.
    void note(waiting first, waiting second, machine::ticks turn) {
        const bool is_new = first.arena != first_.load(std::memory_order_relaxed);
        first_.store(first.arena, std::memory_order_relaxed);
        second_rank_.store(second.rank, std::memory_order_relaxed);
        highest_.store(first.rank, std::memory_order_relaxed);
        if (is_new)  // else a worker may be on its way
            turn_ends_.store(machine::now() + turn, std::memory_order_relaxed);
    }

    // 0: no arena waits.
    int highest() const { return highest_.load(std::memory_order_relaxed); }
    // Without the request of `a`, the asking worker's own arena: a worker that left for that would come back to where
    // it was.
    int highest_but(const void* a) const {
        return first_.load(std::memory_order_relaxed) == a ? second_rank_.load(std::memory_order_relaxed)
                                                           : highest();
    }

    // Must a worker, that came to `a` at `arrived`, go for an arena of no lower rank which has waited for a turn? True
    // for one worker: another one goes a turn later, if that arena still waits.
    bool claim_end_of_turn(waiting a, machine::ticks arrived, machine::ticks turn) {
        if (highest_but(a.arena) < a.rank)
            return false;
        const machine::ticks now = machine::now();
        machine::ticks ends = turn_ends_.load(std::memory_order_relaxed);
        return now >= ends && now - arrived > turn &&
               turn_ends_.compare_exchange_strong(ends, now + turn, std::memory_order_relaxed);
    }

private:
    std::atomic<int> highest_{0};
    std::atomic<int> second_rank_{0};
    std::atomic<const void*> first_{nullptr};
    std::atomic<machine::ticks> turn_ends_{0};
};

}  // namespace bough
