#pragma once
// The fences of detail/asymmetric_fence.h that are calls. Behind it: src/machine/asymmetric_fence_linux.cpp.

#include <atomic>

#include "../config.h"

namespace bough::machine {

namespace detail {
// False until the kernel has agreed; a thread that has not seen it yet takes the full fence, which is right as well.
BOUGH_EXPORT extern std::atomic<bool> heavy_reaches_all;
}  // namespace detail

// Out of line, and not for the thread sanitizer: it has no model of fences, and says so in a warning. Every
// happens-before that it has to know of comes from ordered loads and stores beside the fence.
BOUGH_EXPORT void full_fence();

// Half a microsecond, and an interrupt on every CPU where this process runs.
BOUGH_EXPORT void heavy_fence();

}  // namespace bough::machine
