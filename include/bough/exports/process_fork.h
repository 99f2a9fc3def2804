#pragma once
// Child processes, which fork() makes. Behind it: src/worker/process_fork.cpp.

#include <cstdint>

#include "../config.h"

namespace bough::detail {

// 1 in the first process, and one more in a child process than in its parent. By it a process tells its own marks from
// those that an earlier generation has left in memory.
BOUGH_EXPORT std::uint32_t fork_generation() noexcept;

}  // namespace bough::detail
