#pragma once
// Whom a rank asks for tasks. A policy is a state machine of one rank over the clock, random numbers and what others
// tell; it sends nothing itself, so that a test can play it. Policies are chosen by name at run time.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/parameters.h"

namespace bough::cluster {

class victim_policy {
public:
    struct order {
        enum class verb { nothing, steal, ask } what = verb::nothing;
        int rank = 0;
        friend bool operator==(const order& a, const order& b) {
            return a.what == b.what && a.rank == b.rank;
        }
    };

    virtual ~victim_policy() = default;

    // What to send now; the caller repeats the call until it returns nothing. Hungry: so many workers are idle and find
    // no task in the pool. A policy has at most parameters::steals_on_the_way on their way.
    virtual order next(time_ns now, unsigned hungry) = 0;
    // The answer to a steal of that rank.
    virtual void answered(int rank, bool with_tasks, time_ns now) = 0;
    // The answer to a question.
    virtual void told(int /*rank*/, const statistics& /*of_rank*/, time_ns /*now*/) {}
    // When next() may return something though nothing arrives; `never`: it will not.
    virtual time_ns wake(unsigned hungry) const = 0;
};

// The allowed names, for messages and tests.
const std::vector<std::string>& policy_names();
// Throws std::invalid_argument, which names what is allowed, if there is no such policy.
std::unique_ptr<victim_policy> make_policy(std::string_view name, int rank, int size, std::uint64_t seed,
                                           const parameters& with = {});

}  // namespace bough::cluster
