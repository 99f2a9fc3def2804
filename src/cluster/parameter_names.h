#pragma once
// The tunables of parameters.h by name, for command lines. Times are in whole microseconds, and so are their names.

#include <string_view>

#include "cluster/parameters.h"

namespace bough::cluster {

// "NAME=VALUE". Throws std::invalid_argument, which names what is allowed, if there is no such parameter or the value
// is out of its range.
void set_parameter(parameters& in, std::string_view assignment);
// Throws std::invalid_argument, which names what is allowed, if one is out of its range or two do not go together.
void check_parameters(const parameters& all);

}  // namespace bough::cluster
