#pragma once
// Memory for tasks, from a pool of the calling thread. Any thread may give the memory back. src/memory/README.md.

#include <cstddef>
#include <cstdint>

#include "../config.h"
#include "../exports/object_pool.h"

namespace bough::detail {

class object_pool;

struct pooled {
    void* memory;       // aligned to cache_line
    object_pool* pool;  // the pool to which the memory goes back
};

// Objects of one or two line pairs begin at an odd line. So a runtime that is built on bough, and aligns all other
// objects to line pairs, can tell them apart by address.
inline constexpr std::size_t line_pair = 2 * cache_line;
inline bool is_at_odd_line(const void* memory) noexcept {
    return (reinterpret_cast<std::uintptr_t>(memory) & cache_line) != 0;
}

}  // namespace bough::detail
