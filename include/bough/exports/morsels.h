#pragma once
// The size of a morsel (bough/morsel.h). Behind it: src/entry/morsels.cpp.

#include <cstddef>

#include "../config.h"

namespace bough {

// Bytes in a morsel if the program names no size: half of a core's L2. Thread-safe; always the same in a process. The
// first call reads the machine's topology, and may throw std::bad_alloc.
BOUGH_EXPORT std::size_t default_morsel_bytes();

}  // namespace bough
