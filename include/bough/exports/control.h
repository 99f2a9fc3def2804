#pragma once
// Process-wide limits (bough/global_control.h). Behind it: src/entry/control.cpp.

#include <cstddef>

#include "../config.h"

namespace bough::detail {

// As global_control::parameter.
enum class control : unsigned { parallelism, stack_size, terminate };

// A global_control begins. Throws std::invalid_argument if value is out of bounds, and std::bad_alloc; then nothing has
// changed. All three calls are thread-safe.
BOUGH_EXPORT void begin_control(control c, std::size_t value);
// A global_control ends that was begun with that value.
BOUGH_EXPORT void end_control(control c, std::size_t value) noexcept;
// The value in force: threads, bytes, or 0 or 1. Takes a lock. The first call in a process may throw std::bad_alloc.
BOUGH_EXPORT std::size_t control_in_force(control c);

}  // namespace bough::detail
