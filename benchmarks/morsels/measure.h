#pragma once
// The rounds of one case on one way.

#include <chrono>
#include <cstdio>

#include "morsels/options.h"

namespace bench::morsels {

inline double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Prints a line for each counted round: the way, and the time of run() in ns. One more round, from a clear state on,
// shows whether the answer is right.
template <class Case>
bool measure(Case& c, const char* way, const options& o, int threads) {
    constexpr double start_ns = 40e3;  // for each thread, which start one after the other
    const double begin = now_ns();
    for (unsigned i = 0; i < o.warm_ups || now_ns() - begin < start_ns * threads; ++i)
        c.run();
    for (unsigned i = 0; i < o.rounds; ++i) {
        const double from = now_ns();
        c.run();
        std::printf("%s %.1f\n", way, now_ns() - from);
    }
    c.clear();
    c.run();
    return c.is_right();
}

}  // namespace bench::morsels
