#pragma once
// What the calling thread is inside of: not kept. The twin of checks/on/running.h, which says what these are; they
// compile to nothing.

#include "bough/detail/loop_job.h"
#include "bough/detail/task.h"

namespace bough::checks {

struct running {
    explicit running(const detail::task&) noexcept {}
    explicit running(const detail::loop_job&) noexcept {}
};

struct inside_call {
    explicit inside_call(const char*, const detail::cancel_node* = nullptr) noexcept {}
};

struct keep_frames {
    keep_frames() noexcept {}
};

inline void begin_frames() noexcept {}

}  // namespace bough::checks
