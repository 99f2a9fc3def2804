#pragma once
// The clock of the runtime: TSC on x86-64, cntvct_el0 on aarch64, steady_clock where neither serves.
// Any thread may call anything here. Ticks of all threads are comparable: a counter that is not invariant, or that
// disagrees between cores, is not used (clock() says so in its note).

#include <cstdint>
#include <string>
#include <vector>

namespace bough::machine {

using ticks = std::uint64_t;

enum class clock_source { tsc, cntvct, steady };

struct clock_info {
    clock_source source;
    double ticks_per_ns;
    bool invariant;    // the counter runs at one rate in every power state
    bool synchronous;  // nothing speaks against it: see check_synchronous()
    std::string note;  // why a fallback is used; empty when none is
};

// Measured once, at the first call: in 5 us if the library was loaded 20 us to 1 s ago, else in 20 at most (aarch64
// states its rate). Thread-safe. It asks the processor and the kernel, and believes them that the counters of all cores
// agree: check_synchronous() looks. BOUGH_CLOCK=steady forces the fallback.
const clock_info& clock();

// Makes now() read steady_clock from here on. For a start-up that knows better than clock(), such as a profile whose
// calibration saw the cores disagree: call it before another thread reads a tick.
void use_steady_clock(const std::string& why);

struct synchrony {
    bool synchronous;
    unsigned pairs;           // pairs of CPUs that were compared
    double backward_ns;       // largest step back that a stamp took on its way to another core; 0: none
    double least_handoff_ns;  // shortest forward step seen: what a step back is to be measured against
};

// Two threads bound to two CPUs hand a line back and forth, each stamping it: a stamp that is older than the one it
// answers shows that the counters disagree. Every CPU against the first, and neighbours. Some ms a pair; leaves the
// affinity of the calling thread as it was.
synchrony check_synchronous(const std::vector<unsigned>& os_cpus, unsigned rounds_per_pair = 2000);

// The source that now() reads. Set by clock(); before that steady_clock would be the only safe answer, so
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

inline double to_ns(ticks t) {
    return static_cast<double>(t) / clock().ticks_per_ns;
}
inline ticks from_ns(double ns) {
    return static_cast<ticks>(ns * clock().ticks_per_ns);
}

}  // namespace bough::machine
