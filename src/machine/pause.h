#pragma once
// The instruction for the inside of a spin loop.

namespace bough::machine {

inline void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield" ::: "memory");
#endif
}

}  // namespace bough::machine
