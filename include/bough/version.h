#pragma once
// Which bough a program runs on. BOUGH_VERSION_MAJOR, _MINOR and _PATCH (config.h) are numbers of the headers that it
// was compiled with; a newer library may have been installed since.

#include "config.h"

namespace bough {

// "MAJOR.MINOR.PATCH" of the library, such as "0.1.0". Static storage. O(1), any thread, at any time.
BOUGH_EXPORT const char* version() noexcept;

}  // namespace bough
