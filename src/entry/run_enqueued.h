#pragma once
// What is enqueued where there is no worker and none can be started: whoever enqueues stands in for the worker.

#include "arena/arena.h"
#include "worker/crew.h"

namespace bough {

// Runs in the calling thread, wherever it is, what is enqueued in the arena. Where somebody sits in every slot it is
// left to those: they run it when they get up. What the functions enqueue runs inside of them, as they may wait for it;
// when three quarters of the stack are used, or the thread sanitizer bears no more (`most_calls`), it is left to an
// outer call of this on the same stack, if there is one, so that a chain may be as long as it likes.
BOUGH_COLD void run_enqueued(arena& a) noexcept;
// In every arena that waits for a worker.
BOUGH_COLD void run_enqueued_everywhere() noexcept;

// seq_cst: store-load pair of crew::note_workers() with a look for a free slot, and of a slot given back with this.
inline void run_enqueued_if_nobody_will(arena& a) noexcept {
    if (crew_limits.without_workers.load(std::memory_order_seq_cst)) [[unlikely]]
        run_enqueued(a);
}
inline void run_enqueued_if_nobody_will() noexcept {
    if (crew_limits.without_workers.load(std::memory_order_relaxed)) [[unlikely]]
        run_enqueued_everywhere();
}

}  // namespace bough
