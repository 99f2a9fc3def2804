#pragma once
// What holds in this process and why: the one table behind BOUGH_PRINT=1 and `bough info`.

#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "profile/settings.h"
#include "profile/tuning.h"

namespace bough {

struct described_value {
    std::string_view name;      // "spin"
    std::string_view variable;  // "BOUGH_SPIN_US"; empty: no variable sets it
    std::string value;          // as the variable takes it, but for a unit: "20", "forever"
    std::string_view unit;      // "us"; empty: none
    std::string_view why;       // "environment", "profile", "default", "machine", or "library"
    std::string note;           // more about it; mostly empty
};

// Each of setting_variables() has one, in that order; then come the library's queue, and the
// values that only a profile sets.
std::vector<described_value> describe(const settings& s, const profile& p, const tuning& t);

// A line for each, in columns, with `begin` before it. A value that its column does not hold stands at the end.
std::string lines_of(const std::vector<described_value>& values, std::string_view begin);

}  // namespace bough
