#pragma once
// Process-wide limits, with oneTBB's meanings: the smallest of all living max_allowed_parallelism holds, the largest of
// all living thread_stack_size, and any living terminate_on_exception that is not 0.
//
// How many threads work: while no max_allowed_parallelism lives, as many as BOUGH_NUM_THREADS says, else as many as
// there are CPUs in the affinity mask and in the cgroup's quota. A living one takes the place of these, with fewer
// threads or with more. A task_arena's max_concurrency bounds what is in the arena, within that. The arena that an
// application thread has of its own has as many slots as there are threads while no max_allowed_parallelism lives: more
// threads work in a task_arena with more slots. Workers are the limit less one, for all application threads together;
// under a limit of one there is one for what is enqueued or what nobody else would run. A lower limit holds for what is
// taken up from then on: a worker ends the piece of a loop that it has, then sleeps.

#include <cstddef>

#include "exports/control.h"
#include "exports/termination.h"

namespace bough {

class global_control {
public:
    enum parameter {
        max_allowed_parallelism,  // threads at work, application threads included; 1 to 4096
        thread_stack_size,        // bytes, for workers that are started from then on; at least 64 KiB
        // Not 0: an exception that leaves a body, or that bough throws or rethrows, ends the process. An exception that
        // only passes through bough's templates does not: what task_arena::execute's function throws in the calling
        // thread, what a copy constructor of the program's or operator new throws there.
        terminate_on_exception,
    };

    // Throws std::invalid_argument when value is out of bounds, and std::bad_alloc; nothing has changed then.
    // Thread-safe.
    global_control(parameter p, std::size_t value) : parameter_(p), value_(value) {
        detail::begin_control(native(p), value);
    }
    ~global_control() { detail::end_control(native(parameter_), value_); }
    global_control(const global_control&) = delete;
    global_control& operator=(const global_control&) = delete;

    // What holds now: threads, bytes, 0 or 1. While no control of that kind lives: as many threads as said above, the
    // stack that pthreads give a thread unless told otherwise, 0. Thread-safe; takes a lock. The first call in a
    // process may throw std::bad_alloc.
    static std::size_t active_value(parameter p) { return detail::control_in_force(native(p)); }

    // Whether active_value(terminate_on_exception) is 1, for those who have caught an exception: takes no lock and no
    // memory.
    static bool terminates_on_exception() noexcept { return detail::terminates_on_exception(); }

private:
    static constexpr detail::control native(parameter p) noexcept { return static_cast<detail::control>(p); }

    parameter parameter_;
    std::size_t value_;
};

}  // namespace bough
