#pragma once
// Two ranks at random are asked how many tasks they have; the one with more is robbed. If neither has any, a pause.

#include "cluster/policies/back_off.h"
#include "cluster/random.h"
#include "cluster/victim_policy.h"

namespace bough::cluster {

class two_choices final : public victim_policy {
public:
    two_choices(int rank, int size, std::uint64_t seed, const parameters& with)
        : rank_(rank), size_(size), random_(seed), pause_(with) {}

    order next(time_ns now, bool hungry) override;
    void answered(int rank, bool with_tasks, time_ns now) override;
    void told(int rank, const statistics& of_rank, time_ns now) override;
    time_ns wake(bool hungry) const override {
        return hungry && stage_ == stage::fresh && size_ > 1 ? pause_.until() : never;
    }

private:
    enum class stage { fresh, asks_second, waits_for_statistics, knows, waits_for_tasks };

    int other_than(int second);
    void give_up(time_ns now);

    int rank_;
    int size_;
    random_numbers random_;
    back_off pause_;
    stage stage_ = stage::fresh;
    int first_ = 0;  // that was asked
    int missing_ = 0;
    int richest_ = 0;
    std::uint64_t most_tasks_ = 0;
};

}  // namespace bough::cluster
