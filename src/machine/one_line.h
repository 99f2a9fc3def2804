#pragma once
// Text from a file or the environment, fit for a message: one line, printable, not endless.

#include <string>
#include <string_view>

namespace bough {

inline std::string one_line(std::string_view text, std::size_t longest = 80) {
    std::string result;
    for (const char c : text.substr(0, longest))
        result += c >= ' ' && c <= '~' ? c : '?';
    return text.size() > longest ? result + "..." : result;
}

}  // namespace bough
