// The policies by their names.

#include <stdexcept>

#include "cluster/policies/random_victim.h"

namespace bough::cluster {

const std::vector<std::string>& policy_names() {
    static const std::vector<std::string> names{"random", "pure-random"};
    return names;
}

std::unique_ptr<victim_policy> make_policy(std::string_view name, int rank, int size, std::uint64_t seed,
                                           const parameters& with) {
    seed = random_numbers::mix(seed + static_cast<std::uint64_t>(rank));
    if (name == "random" || name == "pure-random")
        return std::make_unique<random_victim>(rank, size, seed, with, name == "random");
    std::string allowed;
    for (const std::string& known : policy_names())
        allowed += (allowed.empty() ? "" : ", ") + known;
    throw std::invalid_argument("unknown policy '" + std::string(name) + "'; allowed: " + allowed);
}

}  // namespace bough::cluster
