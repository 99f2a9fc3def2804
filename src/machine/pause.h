#pragma once
// What to do inside a spin loop: a hint to the CPU, or to the kernel.

#include <sched.h>

namespace bough::machine {

inline void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield" ::: "memory");
#endif
}

inline void prefetch_to_write(const void* line) noexcept {
#if defined(__x86_64__)
    // By hand: for a baseline x86-64 the built-in asks for the line shared. Every 64-bit processor knows this
    // instruction, if only to ignore it.
    asm volatile("prefetchw %0" ::"m"(*static_cast<const char*>(line)));
#else
    __builtin_prefetch(line, 1);
#endif
}

// About 0.3 us when nobody else wants the CPU.
inline void yield() noexcept {
    sched_yield();
}

}  // namespace bough::machine
