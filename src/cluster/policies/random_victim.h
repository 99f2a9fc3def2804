#pragma once
// YewPar's own policy: a worker tries the rank's last successful victim, then one other rank at random, then pauses.
// Without the last victim: one rank at random, then a pause.

#include "cluster/policies/hungry_workers.h"
#include "cluster/random.h"
#include "cluster/victim_policy.h"

namespace bough::cluster {

class random_victim final : public victim_policy {
public:
    random_victim(int rank, int size, std::uint64_t seed, const parameters& with, bool keeps_last)
        : rank_(rank), size_(size), random_(seed), workers_(with), keeps_last_(keeps_last) {}

    order next(time_ns now, unsigned hungry) override;
    void answered(int rank, bool with_tasks, time_ns now) override;
    time_ns wake(unsigned hungry) const override {
        return hungry > 0 ? workers_.pause_end([](const auto&) { return true; }) : never;
    }

private:
    static constexpr int none = -1;
    enum class stage { fresh, tries_last, tries_any };

    int any_other();

    int rank_;
    int size_;
    random_numbers random_;
    hungry_workers<stage> workers_;
    bool keeps_last_;
    int last_ = none;  // the last successful victim
};

}  // namespace bough::cluster
