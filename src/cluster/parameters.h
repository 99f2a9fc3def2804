#pragma once
// Every tunable of the cluster. "paper" is Xie's dissertation on performance-driven stealing in YewPar (docs/papers);
// "code" is what its published code has and its text does not say.

#include <cstddef>
#include <cstdint>

#include "cluster/transport.h"

namespace bough::cluster {

constexpr time_ns operator""_us(unsigned long long value) {
    return static_cast<time_ns>(value) * 1'000;
}
constexpr time_ns operator""_ms(unsigned long long value) {
    return static_cast<time_ns>(value) * 1'000'000;
}
constexpr time_ns operator""_s(unsigned long long value) {
    return static_cast<time_ns>(value) * 1'000'000'000;
}

struct parameters {
    // ---- stealing
    std::uint32_t tasks_per_steal =
        1;  // tasks; YewPar moves one at a time. A victim gives at most half of its pool, rounded up.
    // Of one rank at a time, and never more than it has hungry workers. By default these alone decide, as in the
    // paper's fork. The lock of YewPar's pool made 1 of it. experiment/README.md has what that costs.
    std::uint32_t steals_on_the_way = UINT32_MAX;
    time_ns back_off_first = 200_us;  // of one worker, after a round of failed steals; code
    time_ns back_off_cap = 500_ms;    // it doubles up to this; code

    // ---- formulas 3.1 to 3.3
    double smoothing = 0.65;     // weight of the newest value, against 0.35 of the old one; paper
    double log_offset = 2.72;    // keeps the logarithms above 1; paper
    double initial_rate = 1.0;   // of a worker that has run no task; code
    double least_rate = 0.0001;  // in the score; paper

    // ---- refresh of the statistics
    time_ns refresh_first = 1_ms;      // until the first automatic refresh; code
    time_ns refresh_longer = 60_ms;    // added when a target was found; code
    time_ns refresh_cap = 240_ms;      // code
    time_ns refresh_shorter = 120_ms;  // subtracted when none was found; code
    time_ns refresh_floor = 5_ms;      // code
    int refresh_asks =
        32;  // ranks asked in one refresh, at random if there are more; the paper asks all of up to 20; ours

    // ---- termination
    time_ns probe_pause_first = 100_us;  // between rounds of the token; ours: some hops of a local network
    time_ns probe_pause_cap = 1_ms;  // it doubles up to this: what the end of a search may cost at most; ours

    // ---- spreading
    int flat_broadcast =
        16;  // ranks: up to here to each directly, beyond by a binary tree; ours, not measured

    // ---- a lost rank
    time_ns alive_every = 1_s;  // ours
    time_ns lost_after = 8_s;   // 0: never. The run must end within 10 s; ours
};

}  // namespace bough::cluster
