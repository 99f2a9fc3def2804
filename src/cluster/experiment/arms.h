#pragma once
// The arms of the experiment: a policy, and the faults of YewPar's pool that its paper's comparison mixed with it.

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/simulation/virtual_locality.h"
#include "cluster/victim_policy.h"

namespace bough::cluster {

struct arm {
    const char* name;
    const char* policy;  // null: the oracle
    bool holds_lock = false;
    bool looks_at_one_depth = false;
};

// A0 to A2 differ by the faults alone; A2 against A4 is the paper's claim.
inline const std::vector<arm>& arms() {
    static const std::vector<arm> all{
        {"A0", "random", true, true},        // YewPar as it was compared
        {"A1", "random", false, true},       // no lock is held across a steal
        {"A2", "random"},                    // nor is the pool at fault
        {"A3", "pure-random"},               // without the last victim
        {"A4", "performance"},               // as the paper describes it
        {"A4c", "performance-as-coded"},     // with its dead branch
        {"A5", "performance-no-auxiliary"},  //
        {"A6", "tasks-only"},                // the score is the number of tasks
        {"A7", "two-choices"},               // no shared belief about who is rich
        {"A8", nullptr},                     // knows all queues, at no cost
    };
    return all;
}

// Robs the rank that has most tasks now. It sees their pools.
class oracle_victim final : public victim_policy {
public:
    using look = std::function<std::size_t(int rank)>;
    oracle_victim(int rank, int size, look tasks, const parameters& with)
        : rank_(rank), size_(size), tasks_(std::move(tasks)), limit_(with.steals_on_the_way) {}

    order next(time_ns now, unsigned hungry) override {
        if (on_the_way_ >= std::min(hungry, limit_))
            return {};
        looks_again_ = now + looks_every;
        int richest = rank_;
        std::size_t most = 0;
        for (int r = 0; r < size_; ++r) {
            if (const std::size_t tasks = r == rank_ ? 0 : tasks_(r); tasks > most) {
                most = tasks;
                richest = r;
            }
        }
        if (most == 0)
            return {};
        ++on_the_way_;
        return {order::verb::steal, richest};
    }
    void answered(int /*rank*/, bool /*with_tasks*/, time_ns /*now*/) override { --on_the_way_; }
    time_ns wake(unsigned hungry) const override {
        return on_the_way_ < std::min(hungry, limit_) ? looks_again_ : never;
    }

private:
    static constexpr time_ns looks_every = 20_us;  // a fraction of a task

    int rank_;
    int size_;
    look tasks_;
    unsigned limit_;
    unsigned on_the_way_ = 0;
    time_ns looks_again_ = 0;
};

// Tells the locality while the one steal of its rank is on its way.
class watched_policy final : public victim_policy {
public:
    watched_policy(std::unique_ptr<victim_policy> below, virtual_locality& locality)
        : below_(std::move(below)), locality_(locality) {}

    order next(time_ns now, unsigned hungry) override {
        const order o = below_->next(now, hungry);
        if (o.what == order::verb::steal)
            locality_.set_stealing(true);
        return o;
    }
    void answered(int rank, bool with_tasks, time_ns now) override {
        below_->answered(rank, with_tasks, now);
        locality_.set_stealing(false);
    }
    void told(int rank, const statistics& s, time_ns now) override { below_->told(rank, s, now); }
    time_ns wake(unsigned hungry) const override { return below_->wake(hungry); }

private:
    std::unique_ptr<victim_policy> below_;
    virtual_locality& locality_;
};

}  // namespace bough::cluster
