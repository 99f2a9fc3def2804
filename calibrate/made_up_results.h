#pragma once
// Results that no machine has measured, for the tests.

#include "results.h"

namespace bough::calibrate {

inline team_result team_of(unsigned size, double p50, double p99, std::size_t count = 1000) {
    team_result t;
    t.team = size;
    t.time = {count, p50, p50, p50, p99, p99, p99};
    return t;
}

}  // namespace bough::calibrate
