#pragma once
// The two fences of a store-load pair of which one side is taken often and the other hardly ever: the rare side makes
// every running thread of the process order its accesses (membarrier), so the frequent one only has to keep the
// compiler from reordering. Where the kernel refuses, both are full fences. Of a light and a heavy fence one comes
// first: either what was stored before the light one is seen after the heavy one, or what was stored before the heavy
// one is seen after the light one.

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

inline void light_fence() {
    if (detail::heavy_reaches_all.load(std::memory_order_relaxed)) [[likely]]
        std::atomic_signal_fence(std::memory_order_seq_cst);
    else
        full_fence();
}

// The same where it costs nothing; false: nothing was done. Leaves no call on the way of who has another way to go on.
inline bool try_light_fence() {
    if (!detail::heavy_reaches_all.load(std::memory_order_relaxed)) [[unlikely]]
        return false;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return true;
}

// Half a microsecond, and an interrupt on every CPU where this process runs.
BOUGH_EXPORT void heavy_fence();

}  // namespace bough::machine
