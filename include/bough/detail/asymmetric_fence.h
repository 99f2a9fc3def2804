#pragma once
// The two fences of a store-load pair of which threads pass one side often and the other side hardly ever. On the rare
// side the heavy fence makes every running thread of the process order its accesses (membarrier). So on the frequent
// side the light fence only has to keep the compiler from reordering. If the kernel refuses membarrier, both are full
// fences.
//
// Of a light and a heavy fence one comes first. Either a load after the heavy fence sees what was stored before the
// light fence, or a load after the light fence sees what was stored before the heavy one. heavy_fence() is in
// exports/asymmetric_fence.h.

#include <atomic>

#include "../exports/asymmetric_fence.h"

namespace bough::machine {

inline void light_fence() {
    if (detail::heavy_reaches_all.load(std::memory_order_relaxed)) [[likely]]
        std::atomic_signal_fence(std::memory_order_seq_cst);
    else
        full_fence();
}

// The same if it costs nothing. False: nothing was done. For a caller that can go on in another way, and must not
// contain a call.
inline bool try_light_fence() {
    if (!detail::heavy_reaches_all.load(std::memory_order_relaxed)) [[unlikely]]
        return false;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return true;
}

}  // namespace bough::machine
