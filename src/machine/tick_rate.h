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
// And to 2 %, which shows whether the stamp from load still serves.
constexpr std::uint64_t check_span_ns = 5'000;
// So old it does not: a short suspension, or a move to a host with nearly the same rate, would pass the check.
constexpr std::uint64_t oldest_ns = 1'000'000'000;

// The clock may have gone back since load: in a process that was restored on another host.
inline bool may_serve(const stamp& at_load, const stamp& now) {
    return at_load.steady != 0 && now.steady >= at_load.steady && now.steady - at_load.steady < oldest_ns;
}

// The earliest steady time for the last look, if the one before was `now`.
inline std::uint64_t rate_is_known_at(const stamp& at_load, const stamp& now) {
    const std::uint64_t first = may_serve(at_load, now) ? at_load.steady : now.steady;
    return std::max(now.steady + check_span_ns, first + rate_span_ns);
}

inline double ticks_per_ns_between(const stamp& first, const stamp& last) {
    return static_cast<double>(last.counter - first.counter) /
           static_cast<double>(last.steady - first.steady);
}

// In ticks per ns, of a library that looked when it was loaded, and just before `last`. 0: the two disagree, or the
// stamp from load does not serve. A counter goes on while the system is suspended, and the clock does not.
inline double ticks_per_ns_since_load(const stamp& at_load, const stamp& recent, const stamp& last) {
    constexpr double doubt = 0.03;
    if (!may_serve(at_load, recent))
        return 0;
    const double rate = ticks_per_ns_between(at_load, last);
    return std::abs(rate / ticks_per_ns_between(recent, last) - 1) < doubt ? rate : 0;
}

}  // namespace bough::machine
