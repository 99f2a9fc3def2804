#pragma once
// The only way from the loop templates into the library. Behind it: src/entry/loop.cpp.

#include "../config.h"

namespace bough::detail {

struct loop_job;

// Runs the job and returns when every unit has run or the job was cancelled; rethrows the first exception.
// Any thread. Allocates nothing when the thread has used bough before.
BOUGH_EXPORT void run_loop(loop_job& job);

// Threads that may work on a loop called here, the caller included. The first call of a process reads its settings, and
// may throw std::bad_alloc.
BOUGH_EXPORT unsigned concurrency();

}  // namespace bough::detail
