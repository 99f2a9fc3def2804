#pragma once
// A core of the simulated machine.

#include <cstdint>
#include <deque>

#include "description.h"
#include "store_buffer.h"

namespace simulate {

struct thread;

struct core {
    unsigned number = 0;
    picoseconds clock = 0;
    picoseconds instruction = 0;  // what one of a basic block costs here
    picoseconds limit = never;    // the running thread's slice ends, or the core is lost for a while
    struct missed_read {
        std::uintptr_t line = 0;
        picoseconds came = 0;
    } last_read;
    thread* running = nullptr;
    std::deque<thread*> ready;
    store_buffer stores;
    picoseconds interrupted = 0;  // by others, to be paid at the next sync
    picoseconds slice_ends = never, lost_at = never;
    static constexpr unsigned nowhere = ~0u;
    unsigned place = nowhere;  // in the heap of those that have something to run
};

}  // namespace simulate
