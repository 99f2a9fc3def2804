#pragma once
// The size of a morsel (bough/morsel.h). Behind it: src/entry/morsels.cpp.

#include <cstddef>

#include "../config.h"

namespace bough {

// Bytes in a morsel, at most, if the program names no size: half of a core's L2. Thread-safe; always the same in a
// process. The first call reads the machine's topology, and may throw std::bad_alloc.
BOUGH_EXPORT std::size_t default_morsel_bytes();

// The same for a loop over so many bytes of data: an eighth of a thread's share of them, so that all threads of the
// caller's arena (this_task_arena::max_concurrency()) have morsels and can balance them; default_morsel_bytes() at most
// and a cache line at least. Thread-safe. The first call may throw std::bad_alloc.
BOUGH_EXPORT std::size_t default_morsel_bytes(std::size_t bytes_of_data);

}  // namespace bough
