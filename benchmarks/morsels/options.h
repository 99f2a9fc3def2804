#pragma once
// What a process of this benchmark is asked for.

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>

namespace bench::morsels {

struct options {
    std::string which, way;
    std::size_t size = 0;  // 0: the case's own
    unsigned warm_ups = 10, rounds = 20;
    std::size_t threads = 0;  // 0: all
};

inline constexpr const char* usage = "[--size N] [--rounds N] [--warm-ups N] [--threads N], each N from 1 on";

// Digits alone, and not 0.
inline std::size_t positive(const std::string& text) {
    constexpr std::size_t most_digits = 9;
    if (text.empty() || text.size() > most_digits ||
        text.find_first_not_of("0123456789") != std::string::npos)
        return 0;
    return std::strtoul(text.c_str(), nullptr, 10);
}

inline std::optional<options> parsed(int count, char** given) {
    if (count < 3 || count % 2 == 0)
        return {};
    options o;
    o.which = given[1];
    o.way = given[2];
    for (int i = 3; i < count; i += 2) {
        const std::string name = given[i];
        const std::size_t value = positive(given[i + 1]);
        if (value == 0)
            return {};
        if (name == "--size")
            o.size = value;
        else if (name == "--rounds")
            o.rounds = static_cast<unsigned>(value);
        else if (name == "--warm-ups")
            o.warm_ups = static_cast<unsigned>(value);
        else if (name == "--threads")
            o.threads = value;
        else
            return {};
    }
    return o;
}

}  // namespace bench::morsels
