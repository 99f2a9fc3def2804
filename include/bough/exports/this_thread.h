#pragma once
// Where the calling thread sits. Behind it: src/worker/this_thread.cpp.

#include <cstdint>

#include "../config.h"

namespace bough::detail {

class arena;
struct slot_view;

// What code outside the library may see of the thread's slot; null outside of all arenas.
BOUGH_EXPORT slot_view* current_view() noexcept;
// The number of the thread's slot. The thread takes a slot in a default arena if need be. Throws std::bad_alloc.
BOUGH_EXPORT std::uint16_t slot_index();
// The arena in which the thread sits; null outside of all arenas.
BOUGH_EXPORT arena* current_arena() noexcept;
// The floating-point settings of the workers of the thread's arena. Only to be called inside an arena.
BOUGH_EXPORT std::uint64_t arena_fp_settings() noexcept;

}  // namespace bough::detail
