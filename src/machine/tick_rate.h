#pragma once
// How fast the counter runs, by two looks at both clocks. A pure part of clock_linux.cpp.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bough::machine {

// Both clocks at one moment, good to some 50 ns. steady is 0 if nobody has looked.
struct stamp {
    std::uint64_t counter;
    std::uint64_t steady;  // ns
};

// Stamps so far apart give the rate to 0.5 %. It scales limits of time, and figures in reports.
constexpr std::uint64_t rate_span_ns = 20'000;
// And to 2 %, which shows whether an older stamp still serves.
constexpr std::uint64_t check_span_ns = 5'000;

// When the clocks can be looked at for the last time, if they are looked at `now`: steady time.
inline std::uint64_t rate_is_known_at(const stamp& at_load, const stamp& now) {
    const std::uint64_t first = at_load.steady != 0 ? at_load.steady : now.steady;
    return std::max(now.steady + check_span_ns, first + rate_span_ns);
}

inline double ticks_per_ns_between(const stamp& first, const stamp& last) {
    return static_cast<double>(last.counter - first.counter) /
           static_cast<double>(last.steady - first.steady);
}

// In ticks per ns, of a process that looked when it was loaded, and just before `last`. 0: the two disagree, or nobody
// looked at load. A counter goes on while the system is suspended or moved to another host, and the clock does not.
inline double ticks_per_ns_since_load(const stamp& at_load, const stamp& recent, const stamp& last) {
    constexpr double doubt = 0.05;
    if (at_load.steady == 0)
        return 0;
    const double rate = ticks_per_ns_between(at_load, last);
    return std::abs(rate / ticks_per_ns_between(recent, last) - 1) < doubt ? rate : 0;
}

}  // namespace bough::machine
