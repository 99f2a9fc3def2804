#pragma once
// The names of the environment's variables; their values: bough/exports/environment.h.

#include <string>
#include <string_view>
#include <vector>

namespace bough::machine {

// Those that begin with `prefix` and have a value that is not empty; none if the process has more rights than its
// starter. As for getenv(), no other thread may change the environment meanwhile.
std::vector<std::string> environment_names(std::string_view prefix);

}  // namespace bough::machine
