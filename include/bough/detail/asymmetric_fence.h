#pragma once
// The two fences of a store-load pair of which one side is taken often and the other hardly ever: the rare side makes
// every running thread of the process order its accesses (membarrier), so the frequent one only has to keep the
// compiler from reordering. Where the kernel refuses, both are full fences. Of a light and a heavy fence one comes
// first: either what was stored before the light one is seen after the heavy one, or what was stored before the heavy
// one is seen after the light one. heavy_fence() is in exports/asymmetric_fence.h.

#include <atomic>

#include "../exports/asymmetric_fence.h"

namespace bough::machine {

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

}  // namespace bough::machine
