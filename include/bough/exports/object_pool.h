#pragma once
// Memory for tasks (detail/task_memory.h). Behind it: src/memory/object_pool.cpp.

#include <cstddef>

#include "../config.h"

namespace bough::detail {

struct pooled;

// Takes some ns. Throws std::bad_alloc.
BOUGH_EXPORT pooled allocate_pooled(std::size_t bytes);
BOUGH_EXPORT void free_pooled(pooled p, std::size_t bytes) noexcept;

// For a caller that knows only the address of the object, which has at most two line pairs.
BOUGH_EXPORT void free_pooled(void* memory) noexcept;

}  // namespace bough::detail
