#pragma once
// A body says that its thread may give work away now. Behind it: src/entry/poll.cpp.

#include "../config.h"

namespace bough {

// For bodies that run long, with the balancer of channels: a thread answers requests for its tasks, and for pieces of
// its loops, only when it comes to bough, so a body of 100 us keeps other threads waiting for as long. Where thieves
// take by themselves (the default) it does nothing. Runs no task. Any thread, at any time; a few ns.
BOUGH_EXPORT void poll() noexcept;

}  // namespace bough
