#pragma once
// Where the calling thread sits. Behind it: src/worker/this_thread.cpp.

#include <cstdint>

#include "../config.h"

namespace bough::detail {

class arena;
struct slot_view;

// What is seen of its slot; null outside of all arenas.
BOUGH_EXPORT slot_view* current_view() noexcept;
// The slot it sits in; takes one in a default arena if need be. Throws std::bad_alloc.
BOUGH_EXPORT std::uint16_t slot_index();
// The arena it sits in, null outside of all.
BOUGH_EXPORT arena* current_arena() noexcept;
// What the workers of its arena compute with. Only inside an arena.
BOUGH_EXPORT std::uint64_t arena_fp_settings() noexcept;

}  // namespace bough::detail
