#pragma once
// Does an exception end the process where it would leave the library? Behind it: src/machine/termination.cpp.

#include "../config.h"

namespace bough::detail {

// What global_control::terminates_on_exception() returns.
BOUGH_EXPORT bool terminates_on_exception() noexcept;

}  // namespace bough::detail
