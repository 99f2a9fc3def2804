#include "bough/version.h"

#define BOUGH_TEXT_OF(number) #number
#define BOUGH_VERSION_TEXT(major, minor, patch)                                                              \
    BOUGH_TEXT_OF(major) "." BOUGH_TEXT_OF(minor) "." BOUGH_TEXT_OF(patch)

// The library's own queue, unless a variant is built.
#ifndef BOUGH_VARIANT
#define BOUGH_VARIANT "chase-lev"
#endif

namespace bough {

const char* version() noexcept {
    return BOUGH_VERSION_TEXT(BOUGH_VERSION_MAJOR, BOUGH_VERSION_MINOR, BOUGH_VERSION_PATCH);
}

const char* variant() noexcept {
    return BOUGH_VARIANT;
}

}  // namespace bough
