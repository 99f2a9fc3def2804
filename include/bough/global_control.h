#pragma once
// Process-wide limits, with oneTBB's meanings. Of the objects that live now, the smallest max_allowed_parallelism
// holds, the largest thread_stack_size, and terminate_on_exception if one of them is not 0.
//
// How many threads work: while no max_allowed_parallelism lives, as many as BOUGH_NUM_THREADS says, or else as many as
// there are CPUs in the affinity mask and in the cgroup's quota. A max_allowed_parallelism takes the place of that
// number, and may be lower or higher. Within it, a task_arena's max_concurrency bounds how many threads work in the
// arena. An application thread's own arena has as many slots as threads work while no max_allowed_parallelism lives. So
// under a higher limit more threads work only in a task_arena with more slots.
//
// The number of workers is the limit less one, for all application threads together. Under a limit of one thread one
// worker comes for enqueued tasks, and for work that no other thread would run. A lower limit holds for work that
// threads take from then on: a worker ends the piece of a loop that it has, then sleeps.

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
        // only passes through bough's templates does not end it: one that the function of task_arena::execute throws in
        // the calling thread, or one that a copy constructor of the program, or operator new, throws there.
        terminate_on_exception,
    };

    // Throws std::invalid_argument if value is out of bounds, and std::bad_alloc; then nothing has changed.
    // Thread-safe.
    global_control(parameter p, std::size_t value) : parameter_(p), value_(value) {
        detail::begin_control(native(p), value);
    }
    ~global_control() { detail::end_control(native(parameter_), value_); }
    global_control(const global_control&) = delete;
    global_control& operator=(const global_control&) = delete;

    // The value that holds now: threads, bytes, or 0 or 1. While no control of that kind lives: the number of threads
    // said above, the default stack size of pthreads, 0. Thread-safe; takes a lock. The first call in a process may
    // throw std::bad_alloc.
    static std::size_t active_value(parameter p) { return detail::control_in_force(native(p)); }

    // Is active_value(terminate_on_exception) 1? For code that has caught an exception: takes no lock and no memory.
    static bool terminates_on_exception() noexcept { return detail::terminates_on_exception(); }

private:
    static constexpr detail::control native(parameter p) noexcept { return static_cast<detail::control>(p); }

    parameter parameter_;
    std::size_t value_;
};

}  // namespace bough
