#pragma once
// One calibration from the clock check to the last measure.

#include "progress.h"
#include "results.h"

namespace bough::calibrate {

struct calibration_plan {
    unsigned cpus;          // usable ones
    unsigned largest_team;  // at most cpus
    std::size_t calls;      // of parallel_for, per team size and distribution
    bool quick;
};

// Calls machine::use_steady_clock() when the counters of two cores disagree.
results calibrate(const calibration_plan& plan, progress& bar);

}  // namespace bough::calibrate
