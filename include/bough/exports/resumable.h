#pragma once
// The calls that suspend and resume tasks (bough/resumable.h). Behind it: src/entry/resumable.cpp.

#include "../config.h"

namespace bough {

// Names a suspended task. Valid until it has been resumed.
using suspend_point = struct fiber*;

// Lets a suspended task go on. Any thread may call it, once for each suspend(). O(1), and a wake-up.
BOUGH_EXPORT void resume(suspend_point point) noexcept;

// The name under which the calling thread's stack would be suspended. It is the same for everything that runs on that
// stack. Takes a slot if need be; throws std::bad_alloc.
BOUGH_EXPORT suspend_point current_suspend_point();

namespace detail {

// bough::suspend(), with the function as a pointer.
BOUGH_EXPORT void suspend(void (*call)(void* data, suspend_point), void* data);

}  // namespace detail
}  // namespace bough
