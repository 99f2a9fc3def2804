#pragma once
// Command lines of the experiment's programs: --OPTION LIST pairs, each with a default.

#include <map>
#include <string>
#include <vector>

#include "cluster/experiment/arms.h"

namespace bough::cluster {

using options = std::map<std::string, std::string>;

// Throws std::invalid_argument, with the usage, if an option is unknown.
options read_options(int argc, char** argv, options defaults, const std::string& usage);
std::vector<std::string> split(const std::string& list);
// The following throw std::invalid_argument, which names what is allowed.
long long number(const options& given, const std::string& option, long long least, long long most);
long long number(const std::string& option, const std::string& text, long long least, long long most);
const arm& arm_named(const std::string& name);

}  // namespace bough::cluster
