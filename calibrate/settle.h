#pragma once
// What becomes of a run: its profile is written, or the old one stays.

#include <string>

#include "results.h"

namespace bough::calibrate {

constexpr int kept_status = 3;  // exit status: the run is not to be trusted, and the file stays as it was

// Writes the chosen profile to `path`, unless there are doubts and no `force`. Says in the profile whether it is to
// be trusted, and in `found` whether it was written. Returns the verdict, one line without its end. Throws
// std::runtime_error if the file cannot be written; the old one, if any, is then untouched.
std::string settle(outcome& found, const std::string& path, bool force);

// 1 if a part could not be measured at all, else kept_status or 0.
int exit_status(const results& r, const outcome& found);

}  // namespace bough::calibrate
