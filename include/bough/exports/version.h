#pragma once
// The version of the library (bough/version.h). Behind it: src/machine/version.cpp.

#include "../config.h"

namespace bough {

// "MAJOR.MINOR.PATCH" of the library, such as "0.1.0". Static storage. O(1), any thread, at any time.
BOUGH_EXPORT const char* version() noexcept;

// Which local queue the library has: "chase-lev", or that of a variant for comparisons (src/queue/README.md), with
// "-counted" behind it where the queue counts what it does (bough/statistics.h). Static storage. O(1), any thread, at
// any time.
BOUGH_EXPORT const char* variant() noexcept;

}  // namespace bough
