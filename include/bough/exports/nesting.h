#pragma once
// Recursion that would overrun the stack ends in an exception. Behind it: src/worker/nesting.cpp.

#include <stdexcept>

#include "../config.h"

namespace bough {

// Calls of bough nested in calls of bough have nearly used up the thread's stack. The innermost call throws this, as if
// a body had thrown it, while there is still room to handle the exception. The room is a sixteenth of the stack,
// between 32 and 512 KiB, half of it for the body. Such a recursion needs a serial cut-off, or a larger stack:
// global_control's thread_stack_size for workers, the system's limit (ulimit -s) for the main thread.
class BOUGH_EXPORT nesting_too_deep : public std::runtime_error {
public:
    nesting_too_deep();
    ~nesting_too_deep() override;
};

namespace detail {

// Throws nesting_too_deep if too little stack is left for another level and for the handling of an exception.
BOUGH_EXPORT void check_stack();

}  // namespace detail
}  // namespace bough
