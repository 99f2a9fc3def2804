#pragma once
// YewPar's own policy: the last successful victim, then one other rank at random, then a pause. Without the last
// victim: one rank at random, then a pause.

#include "cluster/policies/back_off.h"
#include "cluster/random.h"
#include "cluster/victim_policy.h"

namespace bough::cluster {

class random_victim final : public victim_policy {
public:
    random_victim(int rank, int size, std::uint64_t seed, const parameters& with, bool keeps_last)
        : rank_(rank), size_(size), random_(seed), pause_(with), keeps_last_(keeps_last) {}

    order next(time_ns now, bool hungry) override;
    void answered(int rank, bool with_tasks, time_ns now) override;
    time_ns wake(bool hungry) const override {
        return hungry && !waits_ && size_ > 1 ? pause_.until() : never;
    }

private:
    static constexpr int none = -1;

    int any_other();

    int rank_;
    int size_;
    random_numbers random_;
    back_off pause_;
    bool keeps_last_;
    bool waits_ = false;  // for an answer
    int last_ = none;     // the last successful victim
};

}  // namespace bough::cluster
