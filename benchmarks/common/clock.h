#pragma once
// The time stamp counter, read so that neither earlier nor later instructions slip past it, and its rate.
// Counters of all cores are taken to agree (bough-calibrate checks that).

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace bench {

using ticks = std::uint64_t;

inline ticks now() {
#if defined(__x86_64__)
    _mm_lfence();
    const ticks t = __rdtsc();
    _mm_lfence();
    return t;
#elif defined(__aarch64__)
    ticks t;
    asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(t)::"memory");
    return t;
#else
    return static_cast<ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Measured once against steady_clock, over 20 ms.
double seconds_per_tick();

}  // namespace bench
