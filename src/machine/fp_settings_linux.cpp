// x86: control bits of mxcsr, and the x87 control word above them. Arm: fpcr.

#include "bough/detail/fp_settings.h"

namespace bough::detail {

#if defined(__x86_64__)

namespace {
constexpr std::uint32_t status_bits = 0x3f;  // of mxcsr: what has happened, not what shall
}

std::uint64_t current_fp_settings() noexcept {
    std::uint32_t mxcsr = 0;
    std::uint16_t x87 = 0;
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
    return std::uint64_t{x87} << 32 | (mxcsr & ~status_bits);
}

void set_fp_settings(std::uint64_t settings) noexcept {
    const auto mxcsr = static_cast<std::uint32_t>(settings);
    const auto x87 = static_cast<std::uint16_t>(settings >> 32);
    asm volatile("ldmxcsr %0\n\tfldcw %1" ::"m"(mxcsr), "m"(x87));
}

#elif defined(__aarch64__)

namespace {
constexpr std::uint64_t captured = std::uint64_t{1} << 63;  // fpcr may be 0
}

std::uint64_t current_fp_settings() noexcept {
    std::uint64_t fpcr = 0;
    asm volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr | captured;
}

void set_fp_settings(std::uint64_t settings) noexcept {
    asm volatile("msr fpcr, %0" ::"r"(settings & ~captured));
}

#else
#error "bough runs on x86-64 and aarch64"
#endif

}  // namespace bough::detail
