#pragma once
// How busy a worker is, smoothed: formula 3.1 of "Towards Faster Combinatorial Search: Performance-Driven Workstealing
// Policy in YewPar" (H. Xie, Glasgow 2023), with its constants. Times in microseconds.

#include <cmath>

namespace bough::search::detail {

inline constexpr double first_work_rate = 1.0;

// A worker was idle for idle_us and then worked for work_us.
inline double next_work_rate(double old, double work_us, double idle_us) {
    const double whole = work_us + idle_us;
    const double share = whole > 0 ? work_us / whole : 0;
    return 0.65 * std::log(2.72 + share) * std::log(2.72 + whole) + 0.35 * old;
}

}  // namespace bough::search::detail
