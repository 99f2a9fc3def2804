#pragma once
// What one run of a search program has found.

#include <nlohmann/json.hpp>

#include <bough/search.h>
#include <cstdint>
#include <string>

namespace searches {

struct report {
    nlohmann::ordered_json answer;  // for --json
    std::string text;               // the same in a line
    bough::search::counters counted;
    std::string wrong;  // why the answer cannot be right; empty if nothing speaks against it
};

// A decision's, which may have found nothing, or the best of an optimisation.
template <class Node>
report report_of(const bough::search::optimisation_result<Node>& found) {
    report r;
    r.counted = found.counted;
    r.answer["found"] = found.node.has_value();
    if (found.node)
        r.answer["objective"] = found.objective;
    return r;
}

// "1 node", "2 nodes".
inline std::string counted(std::uint64_t n, const std::string& one, const std::string& many) {
    return std::to_string(n) + ' ' + (n == 1 ? one : many);
}
inline std::string counted(std::uint64_t n, const std::string& one) {
    return counted(n, one, one + 's');
}

template <class Items>
std::string in_line(const Items& items) {
    std::string all;
    for (const auto& i : items)
        all += ' ' + std::to_string(i);
    return all;
}

}  // namespace searches
