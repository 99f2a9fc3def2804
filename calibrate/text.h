#pragma once
// Texts of the report.

#include <cstdio>
#include <string>

namespace bough::calibrate {

// As printf has it; what is longer than a line of the report is cut.
template <typename... Values>
std::string print(const char* format, Values... values) {
    char text[512];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::string time_text(double ns);  // "812 ns", "1.24 us", "3.1 ms"

}  // namespace bough::calibrate
