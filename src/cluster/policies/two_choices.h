#pragma once
// A worker asks two ranks at random how many tasks they have and robs the one with more. If neither has any, it pauses.

#include "cluster/policies/hungry_workers.h"
#include "cluster/random.h"
#include "cluster/victim_policy.h"

namespace bough::cluster {

class two_choices final : public victim_policy {
public:
    two_choices(int rank, int size, std::uint64_t seed, const parameters& with)
        : rank_(rank), size_(size), random_(seed), workers_(with) {}

    order next(time_ns now, unsigned hungry) override;
    void answered(int rank, bool with_tasks, time_ns now) override;
    void told(int rank, const statistics& of_rank, time_ns now) override;
    time_ns wake(unsigned hungry) const override {
        return hungry > 0 ? workers_.pause_end([](const worker& w) { return w.hunt.missing == 0; }) : never;
    }

private:
    static constexpr int none = -1;
    struct probe {
        int asked[2] = {none, none};  // whose answers are missing
        int missing = 0;
        int still_to_ask = none;
        int richest = none;
        std::uint64_t most_tasks = 0;
        bool knows = false;
    };
    using worker = hungry_workers<probe>::worker;

    int other_than(int second);
    order begin(worker& w);

    int rank_;
    int size_;
    random_numbers random_;
    hungry_workers<probe> workers_;
};

}  // namespace bough::cluster
