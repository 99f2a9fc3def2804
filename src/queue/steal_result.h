#pragma once
// What a thief hears from a queue.

#include <cstdint>

#include "bough/detail/task.h"

namespace bough {

using detail::task;

enum class steal_status : std::uint8_t {
    success,
    empty,
    retry,         // somebody else was faster; there may be more
    private_work,  // there is something, but only its owner can give it away
};

struct steal_result {
    steal_status status;
    task* stolen = nullptr;  // null unless success
};

}  // namespace bough
