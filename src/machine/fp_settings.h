#pragma once
// bough/exports/fp_settings.h, as the library itself reads them: in line, since every outermost loop does.
// x86: control bits of mxcsr, and the x87 control word above them. Arm: fpcr.

#include <cstdint>

namespace bough::machine {

inline std::uint64_t fp_settings() noexcept {
#if defined(__x86_64__)
    constexpr std::uint32_t status_bits = 0x3f;  // of mxcsr: what has happened, not what shall
    std::uint32_t mxcsr = 0;
    std::uint16_t x87 = 0;
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
    return std::uint64_t{x87} << 32 | (mxcsr & ~status_bits);
#elif defined(__aarch64__)
    constexpr std::uint64_t captured = std::uint64_t{1} << 63;  // fpcr may be 0
    std::uint64_t fpcr = 0;
    asm volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr | captured;
#else
#error "bough runs on x86-64 and aarch64"
#endif
}

inline void set_fp_settings(std::uint64_t settings) noexcept {
#if defined(__x86_64__)
    const auto mxcsr = static_cast<std::uint32_t>(settings);
    const auto x87 = static_cast<std::uint16_t>(settings >> 32);
    asm volatile("ldmxcsr %0\n\tfldcw %1" ::"m"(mxcsr), "m"(x87));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" ::"r"(settings & ~(std::uint64_t{1} << 63)));
#endif
}

}  // namespace bough::machine
