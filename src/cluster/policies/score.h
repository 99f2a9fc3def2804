#pragma once
// What the paper makes of the statistics of another rank: formulas 3.2 and 3.3. Times in its logarithms are
// microseconds.

#include <algorithm>
#include <cmath>

#include "cluster/parameters.h"

namespace bough::cluster {

// What a rank knows of another one.
struct known_rank {
    double rate;       // formula 3.1, told by it
    double tasks = 0;  // queued when it answered
    double delay = 0;  // formula 3.2
};

// 3.2: the time from question to answer, weighed with the workers of the rank that was asked.
inline double smoothed_delay(double old, time_ns round_trip, unsigned workers, const parameters& with) {
    const double newest = std::log(with.log_offset + static_cast<double>(round_trip) / 1e3 * workers);
    return with.smoothing * newest + (1 - with.smoothing) * old;
}

// 3.3: the higher, the better is it to steal there; not above 0: better not.
inline double steal_score(const known_rank& of, const parameters& with) {
    return std::max(of.rate, with.least_rate) * of.tasks - of.delay;
}

}  // namespace bough::cluster
