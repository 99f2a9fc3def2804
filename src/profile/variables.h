#pragma once
// The environment variables that bough knows, and what is said about others that begin with BOUGH_.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bough {

// Every setting that may be made by environment. TBB_NUM_THREADS, which is oneTBB's, is not among them.
std::span<const std::string_view> setting_variables();

// Pure: a line for each name that begins with BOUGH_ and is no setting, with the nearest setting if one is near.
// Nothing about names that bough's build, its tests or CMake read.
std::vector<std::string> unknown_variables(const std::vector<std::string>& names);

}  // namespace bough
