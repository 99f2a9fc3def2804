#pragma once
// Tasks that can be suspended: their thread goes on with other work, on another stack, until somebody resumes them.

#include <type_traits>
#include <utility>

#include "config.h"

namespace bough {

// Names a suspended task. Valid until it has been resumed.
using suspend_point = struct fiber*;

namespace detail {
BOUGH_EXPORT void suspend(void (*call)(void* data, suspend_point), void* data);
}

// Leaves the running task as it is and calls f(point), on another stack; f, or whoever f told, calls resume(point),
// once. Returns when that has happened. The thread runs other tasks of its arena meanwhile, so f comes before suspend()
// returns, but may still run then. The task goes on in the slot in which it was suspended, and in the same thread
// unless that has left the arena. Throws std::bad_alloc when there is no memory for a stack (as large as a worker's, in
// address space), before anything has happened. f must not throw.
template <class F>
void suspend(F f) {
    // Copied to the other stack: this frame may be gone before f returns.
    detail::suspend(
        [](void* data, suspend_point point) {
            F own(std::move(*static_cast<F*>(data)));
            own(point);
        },
        &f);
}

// Lets a suspended task go on. Any thread, once for each suspend(). O(1), and a wake-up.
BOUGH_EXPORT void resume(suspend_point point) noexcept;

// The name that the calling thread's stack would be suspended under: the same for everything that runs on it. Takes a
// slot if need be; throws std::bad_alloc.
BOUGH_EXPORT suspend_point current_suspend_point();

}  // namespace bough
