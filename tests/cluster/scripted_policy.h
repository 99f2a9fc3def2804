#pragma once
// Plays the other ranks for one policy: a clock that the test moves, and what each rank would answer.

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "cluster/victim_policy.h"

namespace bough_test {

class scripted_policy {
public:
    using order = bough::cluster::victim_policy::order;
    using verb = order::verb;

    explicit scripted_policy(std::unique_ptr<bough::cluster::victim_policy> policy, int size)
        : policy_(std::move(policy)), others(static_cast<std::size_t>(size)) {}

    // What the policy orders now, as "steal 2" and "ask 1".
    std::vector<std::string> orders(unsigned hungry) {
        std::vector<std::string> all;
        for (;;) {
            const order o = policy_->next(now, hungry);
            if (o.what == verb::nothing)
                return all;
            all.push_back((o.what == verb::steal ? "steal " : "ask ") + std::to_string(o.rank));
        }
    }
    // Asks and answers until the policy steals or pauses: the victim, or -1. Answers take `round_trip`.
    int victim(unsigned hungry = 1) {
        for (;;) {
            std::vector<int> asked;
            for (;;) {
                const order o = policy_->next(now, hungry);
                if (o.what == verb::steal)
                    return o.rank;
                if (o.what == verb::nothing)
                    break;
                asked.push_back(o.rank);
                ++questions;
            }
            if (asked.empty())
                return -1;
            now += round_trip;
            for (const int r : asked)
                policy_->told(r, others[static_cast<std::size_t>(r)], now);
        }
    }
    void gives(int rank) { policy_->answered(rank, true, now); }
    void has_nothing(int rank) { policy_->answered(rank, false, now); }
    bough::cluster::victim_policy& policy() { return *policy_; }

private:
    std::unique_ptr<bough::cluster::victim_policy> policy_;

public:
    std::vector<bough::cluster::statistics> others;
    bough::cluster::time_ns now = 0;
    bough::cluster::time_ns round_trip = 100'000;
    int questions = 0;
};

}  // namespace bough_test
