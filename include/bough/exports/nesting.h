#pragma once
// Recursion that would leave the stack ends in an exception. Behind it: src/worker/nesting.cpp.

#include <stdexcept>

#include "../config.h"

namespace bough {

// Calls of bough within calls of bough have nearly used up the stack of the thread: thrown by the innermost, as if by a
// body, while there is still room to handle it: a sixteenth of the stack, between 32 and 512 KiB, half of it for the
// body. Recursion needs a serial cut-off, or a larger stack: global_control's thread_stack_size for workers, the
// system's limit (ulimit -s) for the main thread.
class BOUGH_EXPORT nesting_too_deep : public std::runtime_error {
public:
    nesting_too_deep();
    ~nesting_too_deep() override;
};

namespace detail {

// Throws nesting_too_deep if there is too little stack left for another level and for an exception on its way.
BOUGH_EXPORT void check_stack();

}  // namespace detail
}  // namespace bough
