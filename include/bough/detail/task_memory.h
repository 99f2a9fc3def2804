#pragma once
// Memory for tasks, from a pool of the calling thread; any thread may give it back. src/memory/README.md.

#include <cstddef>

#include "../config.h"

namespace bough::detail {

class object_pool;

struct pooled {
    void* memory;       // aligned to cache_line
    object_pool* pool;  // where it goes back to
};

// Some ns. Throws std::bad_alloc.
BOUGH_EXPORT pooled allocate_pooled(std::size_t bytes);
BOUGH_EXPORT void free_pooled(pooled p, std::size_t bytes) noexcept;

}  // namespace bough::detail
