#pragma once
// The floating-point control settings of a thread (rounding, flushing of denormals, masks of exceptions) in one word.
// Behind it: src/machine/fp_settings.cpp.

#include <cstdint>

#include "../config.h"

namespace bough::detail {

// The calling thread's settings, never 0. Takes some ns.
BOUGH_EXPORT std::uint64_t current_fp_settings() noexcept;
BOUGH_EXPORT void set_fp_settings(std::uint64_t settings) noexcept;

}  // namespace bough::detail
