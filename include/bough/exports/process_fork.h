#pragma once
// Children of fork(). Behind it: src/worker/process_fork.cpp.

#include <cstdint>

#include "../config.h"

namespace bough::detail {

// 1, and one more in each child of fork(): what another generation has left is its own.
BOUGH_EXPORT std::uint32_t fork_generation() noexcept;

}  // namespace bough::detail
