#pragma once
// The only calls of the loop templates into the library. Behind it: src/entry/loop.cpp.

#include "../config.h"

namespace bough::detail {

struct loop_job;

// Runs the job. Returns when every unit has run, or when the job was cancelled and no unit runs any more. Rethrows the
// first exception. Any thread. Allocates nothing if the thread has used bough before.
BOUGH_EXPORT void run_loop(loop_job& job);

// How many threads may work on a loop that is called here, the caller included. The first call in a process reads the
// settings, and may throw std::bad_alloc.
BOUGH_EXPORT unsigned concurrency();

}  // namespace bough::detail
