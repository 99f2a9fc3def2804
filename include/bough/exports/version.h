#pragma once
// The version of the library (bough/version.h). Behind it: src/machine/version.cpp.

#include "../config.h"

namespace bough {

// "MAJOR.MINOR.PATCH" of the library, such as "0.1.0". Static storage. O(1), any thread, at any time.
BOUGH_EXPORT const char* version() noexcept;

}  // namespace bough
