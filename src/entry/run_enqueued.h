#pragma once
// Runs enqueued tasks where no worker can come: the system refused a thread, and all workers that exist are blocked.
// Then the thread that enqueues a task runs it in a worker's place.

#include "arena/arena.h"
#include "worker/crew.h"

namespace bough {

// Runs what is enqueued in the arena, in the calling thread, in whatever arena it is. If every slot is taken, the tasks
// stay: a thread that gives its slot back runs them. What an enqueued function enqueues runs inside that function, as
// the function may wait for it. The thread leaves the new task to an outer call of run_enqueued() on the same stack, if
// there is one, when three quarters of the stack are used. It does the same when as many calls are nested as the thread
// sanitizer allows (`most_calls`). So a chain of functions that enqueue each other can have any length.
BOUGH_COLD void run_enqueued(arena& a) noexcept;
// The same in every arena that has a request.
BOUGH_COLD void run_enqueued_everywhere() noexcept;

// seq_cst: store-load pair. One thread stores the flag (crew::note_workers()), and then looks for a free slot. Another
// thread gives its slot back, and then loads the flag here. Either the first finds that slot, or the second sees the
// flag.
inline void run_enqueued_if_nobody_will(arena& a) noexcept {
    if (crew_limits.without_workers.load(std::memory_order_seq_cst)) [[unlikely]]
        run_enqueued(a);
}
inline void run_enqueued_if_nobody_will() noexcept {
    if (crew_limits.without_workers.load(std::memory_order_relaxed)) [[unlikely]]
        run_enqueued_everywhere();
}

}  // namespace bough
