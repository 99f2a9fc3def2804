#pragma once
// What is enqueued where there is no worker and none can be started.

#include "arena/arena.h"

namespace bough {

// Runs in the calling thread, wherever it is, what is enqueued in the arena; unless somebody sits on every seat: then one of
// those runs it. What these tasks enqueue runs inside of them, and from a depth on after them.
void run_enqueued_here(arena& a) noexcept;

}  // namespace bough
