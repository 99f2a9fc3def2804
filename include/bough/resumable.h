#pragma once
// Tasks that can be suspended: their thread goes on with other work, on another stack, until somebody resumes them.
// resume() and current_suspend_point() are declared in exports/resumable.h.

#include <type_traits>
#include <utility>

#include "exports/resumable.h"

namespace bough {

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

}  // namespace bough
