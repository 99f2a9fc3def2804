#pragma once
// Whether a calibration is to be trusted. Pure.

#include <string>
#include <vector>

#include "others.h"
#include "results.h"

namespace bough::calibrate {

// Others may keep so many of our CPUs busy, on average.
double tolerated_cpus(unsigned cpus);

// Why the results are not to be trusted, most telling reason first; empty: they are.
std::vector<std::string> doubts(const results& r, const disturbance& d);

// Likewise of a profile that makes a case slower than the defaults do.
std::vector<std::string> harms(const std::vector<compared_case>& cases);
// Does the whole interval lie beyond what is tolerated there?
bool is_harm(const interval& ratio);

// Likewise of what the profile that is there has measured and this run has not, on fewer CPUs or with --threads.
std::vector<std::string> losses(const profile& before, const profile& now);

}  // namespace bough::calibrate
