#include "cluster/experiment/options.h"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace bough::cluster {

options read_options(int argc, char** argv, options defaults, const std::string& usage) {
    for (int i = 1; i < argc; i += 2) {
        const auto known = defaults.find(argv[i]);
        if (known == defaults.end() || i + 1 == argc)
            throw std::invalid_argument(std::string(argv[i]) + ": unknown option, or no value\n" + usage);
        known->second = argv[i + 1];
    }
    return defaults;
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> all;
    std::istringstream in(list);
    for (std::string one; std::getline(in, one, ',');)
        all.push_back(one);
    return all;
}

long long number(const options& given, const std::string& option, long long least, long long most) {
    return number(option, given.at(option), least, most);
}

long long number(const std::string& option, const std::string& text, long long least, long long most) {
    long long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
        throw std::invalid_argument(option + " " + text + ": allowed is a whole number from " +
                                    std::to_string(least) + " to " + std::to_string(most));
    return value;
}

const arm& arm_named(const std::string& name) {
    std::string allowed;
    for (const arm& a : arms()) {
        if (name == a.name)
            return a;
        allowed += std::string(allowed.empty() ? "" : ", ") + a.name;
    }
    throw std::invalid_argument("--arm " + name + ": allowed are " + allowed);
}

}  // namespace bough::cluster
