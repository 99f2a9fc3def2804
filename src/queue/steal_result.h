#pragma once
// What a steal returns.

#include <cstdint>

#include "bough/detail/task.h"

namespace bough {

using detail::task;

// The place of a task, counted from the queue's first task; never wraps. The place of a popped task is used again, but
// not if that was the oldest one, and public.
using queue_index = std::int64_t;

enum class steal_status : std::uint8_t {
    success,
    empty,
    retry,         // another thread was faster; there may be more tasks
    private_work,  // there are tasks, but only the owner can expose them
};

struct steal_result {
    steal_status status;
    task* stolen = nullptr;  // null unless success
};

}  // namespace bough
