#pragma once
// The clock of the runtime: TSC on x86-64, cntvct_el0 on aarch64, steady_clock where neither serves.
// Any thread may call anything here. Ticks of all threads are comparable: a counter that is not invariant, or that
// disagrees between cores, is not used (clock() says so in its note).

#include <cstdint>
#include <string>

namespace bough::machine {

using ticks = std::uint64_t;

enum class clock_source { tsc, cntvct, steady };

struct clock_info {
    clock_source source;
    double ticks_per_ns;
    bool invariant;    // the counter runs at one rate in every power state
    bool synchronous;  // no core was seen behind another by more than a hand-off
    std::string note;  // why a fallback is used; empty when none is
};

// Measured once, at the first call (a few ms); thread-safe.
const clock_info& clock();

// The source that now() reads. Set once by clock(); before that steady_clock would be the only safe answer, so
// the runtime calls clock() before it starts a thread.
extern bool use_counter;

std::uint64_t steady_ticks() noexcept;  // steady_clock in ns: then one tick is one ns

// Unserialised: may move by some instructions. About 10 ns.
inline ticks now() noexcept {
    if (!use_counter) [[unlikely]]
        return steady_ticks();
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t t;
    asm volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    return steady_ticks();
#endif
}

// Serialised: earlier instructions have finished, later ones have not begun. For measuring.
ticks now_serialized() noexcept;

inline double to_ns(ticks t) { return static_cast<double>(t) / clock().ticks_per_ns; }
inline ticks from_ns(double ns) { return static_cast<ticks>(ns * clock().ticks_per_ns); }

}  // namespace bough::machine
