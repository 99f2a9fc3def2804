#pragma once
// The version of the library (bough/version.h). Behind it: src/machine/version.cpp.

#include "../config.h"

namespace bough {

// "MAJOR.MINOR.PATCH" of the library, such as "0.1.0". Static storage. O(1), any thread, at any time.
BOUGH_EXPORT const char* version() noexcept;

// The name of the library's local queue: "chase-lev", or that of a variant for comparisons (src/queue/README.md). The
// name ends in "-counted" if the queue counts its events (bough/statistics.h). Static storage. O(1), any thread, at
// any time.
BOUGH_EXPORT const char* variant() noexcept;

}  // namespace bough
