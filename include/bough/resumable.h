#pragma once
// Tasks can be suspended. The thread of a suspended task goes on with other work, on another stack, until a call of
// resume() lets the task go on.
//
// resume() and current_suspend_point() are declared in exports/resumable.h.

#include <type_traits>
#include <utility>

#include "exports/resumable.h"

namespace bough {

// Suspends the running task and calls f(point) on another stack. f, or a thread to which f gave the point, must call
// resume(point) once. suspend() returns after that. Meanwhile the thread runs other tasks of its arena. f begins before
// suspend() returns, but may still run then. The task goes on in the slot in which it was suspended, and in the same
// thread unless that thread has left the arena. Throws std::bad_alloc if there is no memory for a stack (as large as a
// worker's, in address space); then nothing has happened. f must not throw.
template <class F>
void suspend(F f) {
    // f is moved to the other stack, as this frame may be gone before f returns.
    detail::suspend(
        [](void* data, suspend_point point) {
            F own(std::move(*static_cast<F*>(data)));
            own(point);
        },
        &f);
}

}  // namespace bough
