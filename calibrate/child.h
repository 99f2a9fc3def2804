#pragma once
// Runs a program with a changed environment and reads its standard output line by line.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bough::calibrate {

struct child {
    std::vector<std::string> command;  // the first is looked up in PATH unless it holds a slash
    // Variables to set (or to remove, without a value); all others are inherited.
    std::vector<std::pair<std::string, std::optional<std::string>>> environment;
    std::chrono::seconds patience;  // killed when it says nothing for this long
};

// Empty when the program ended with status 0, else what went wrong.
std::string run_child(const child& c, const std::function<void(const std::string& line)>& take);

}  // namespace bough::calibrate
