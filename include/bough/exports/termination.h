#pragma once
// Whether an exception ends the process where it leaves the library. Behind it: src/machine/termination.cpp.

#include "../config.h"

namespace bough::detail {

// global_control::terminates_on_exception().
BOUGH_EXPORT bool terminates_on_exception() noexcept;

}  // namespace bough::detail
