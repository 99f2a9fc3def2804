// The policies by their names.

#include <stdexcept>

#include "cluster/policies/performance_victim.h"
#include "cluster/policies/random_victim.h"
#include "cluster/policies/two_choices.h"

namespace bough::cluster {
namespace {

struct named_policy {
    const char* name;
    std::unique_ptr<victim_policy> (*make)(int rank, int size, std::uint64_t seed, const parameters& with);
};

template <bool KeepsLast>
std::unique_ptr<victim_policy> make_random(int rank, int size, std::uint64_t seed, const parameters& with) {
    return std::make_unique<random_victim>(rank, size, seed, with, KeepsLast);
}
template <bool TasksOnly, bool Auxiliary, bool Stale>
std::unique_ptr<victim_policy> make_performance(int rank, int size, std::uint64_t seed,
                                                const parameters& with) {
    return std::make_unique<performance_victim>(rank, size, seed, with,
                                                performance_victim::options{TasksOnly, Auxiliary, Stale});
}
std::unique_ptr<victim_policy> make_two_choices(int rank, int size, std::uint64_t seed,
                                                const parameters& with) {
    return std::make_unique<two_choices>(rank, size, seed, with);
}

constexpr named_policy named[] = {
    {"random", make_random<true>},  // YewPar's own: the last victim first
    {"pure-random", make_random<false>},
    {"performance", make_performance<false, true, false>},
    {"performance-as-coded", make_performance<false, true, true>},
    {"performance-no-auxiliary", make_performance<false, false, false>},
    {"tasks-only", make_performance<true, true, false>},
    {"two-choices", make_two_choices},
};

}  // namespace

const std::vector<std::string>& policy_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const named_policy& p : named)
            all.emplace_back(p.name);
        return all;
    }();
    return names;
}

std::unique_ptr<victim_policy> make_policy(std::string_view name, int rank, int size, std::uint64_t seed,
                                           const parameters& with) {
    std::string allowed;
    for (const named_policy& p : named) {
        if (name == p.name)
            return p.make(rank, size, random_numbers::mix(seed + static_cast<std::uint64_t>(rank)), with);
        allowed += (allowed.empty() ? "" : ", ") + std::string(p.name);
    }
    throw std::invalid_argument("unknown policy '" + std::string(name) + "'; allowed: " + allowed);
}

}  // namespace bough::cluster
