#pragma once
// The arenas that all threads meet in: 0, 1 and 2.

#include <bough/task_arena.h>

#include <cstddef>

namespace mix {

bough::task_arena& shared_arena(std::size_t which);

}  // namespace mix
