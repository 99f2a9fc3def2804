#include "child.h"

#include <algorithm>

#include "tools/child.h"

namespace bough::calibrate {
namespace {

std::vector<std::string> environment_of(const child& c) {
    std::vector<std::string> result = tools::own_environment();
    std::erase_if(result, [&](const std::string& entry) {
        const std::string name = entry.substr(0, entry.find('='));
        return std::any_of(c.environment.begin(), c.environment.end(),
                           [&](const auto& v) { return v.first == name; });
    });
    for (const auto& [name, value] : c.environment)
        if (value)
            result.push_back(name + "=" + *value);
    return result;
}

}  // namespace

std::string run_child(const child& c, const std::function<void(const std::string& line)>& take) {
    std::string pending;
    const auto take_lines = [&](tools::stream, std::string_view piece) {
        pending.append(piece);
        for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
            take(pending.substr(0, end));
            pending.erase(0, end + 1);
        }
    };
    try {
        const tools::ending end = tools::run({c.command, environment_of(c), false, c.patience}, take_lines);
        if (end.silent)
            return "said nothing for " + std::to_string(c.patience.count()) + " s";
        if (end.signal != 0)
            return "was ended by signal " + std::to_string(end.signal);
        return end.status == 0 ? "" : "ended with status " + std::to_string(end.status);
    } catch (const tools::not_started& refused) {
        return refused.what();
    }
}

}  // namespace bough::calibrate
