#pragma once
// Those fences of detail/asymmetric_fence.h that are not inline. Behind it: src/machine/asymmetric_fence_linux.cpp.

#include <atomic>

#include "../config.h"

namespace bough::machine {

namespace detail {
// False until the kernel has agreed to membarrier. A thread that does not see the agreement yet takes the full fence,
// which is correct too.
BOUGH_EXPORT extern std::atomic<bool> heavy_reaches_all;
}  // namespace detail

// A full fence. Out of line, and hidden from the thread sanitizer, which has no model of fences, and warns of them.
// Every happens-before that the sanitizer has to know of comes from ordered loads and stores beside the fence.
BOUGH_EXPORT void full_fence();

// The heavy fence. Costs half a microsecond, and an interrupt on every CPU where this process runs.
BOUGH_EXPORT void heavy_fence();

}  // namespace bough::machine
