#pragma once
// nesting_too_deep. Besides it bough throws missing_wait (task_group.h), std::invalid_argument and
// std::bad_alloc; each function says when. Any call that is a thread's first may throw std::bad_alloc: the
// thread takes its seat with it.

#include <stdexcept>

#include "config.h"

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

}  // namespace bough
