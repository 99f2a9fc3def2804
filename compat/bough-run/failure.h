#pragma once
// Why a program is not started: one line, and the exit status that env(1) would give.

#include <string>
#include <utility>

namespace bough::run {

inline constexpr int status_own_failure = 125;  // bough-run itself: wrong options, its library is missing
inline constexpr int status_cannot_run = 126;   // the program is there, but not to be run so
inline constexpr int status_not_found = 127;

struct failure {
    failure(int exit_status, std::string one_line) : status(exit_status), what(std::move(one_line)) {}
    int status;
    std::string what;
};

}  // namespace bough::run
