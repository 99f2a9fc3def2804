#pragma once
// The paper's policy: a worker tries the cached target, which has the best score; if that has nothing, all ranks are
// asked (the auxiliary refresh) and the worker tries the new target; then it pauses. Besides, all ranks are asked when
// refresh_timer says so. A rank has at most one refresh on its way: hungry workers join it. The rank itself is never a
// candidate. Where there are more than parameters::refresh_asks other ranks, a refresh asks so many of them, drawn
// anew, and the target is one of these: N starved ranks that ask all others send N * (N - 1) questions each time.

#include <vector>

#include "cluster/policies/hungry_workers.h"
#include "cluster/policies/refresh_timer.h"
#include "cluster/policies/score.h"
#include "cluster/random.h"
#include "cluster/victim_policy.h"

namespace bough::cluster {

class performance_victim final : public victim_policy {
public:
    struct options {
        bool counts_tasks_only = false;  // the score is the number of queued tasks
        bool asks_when_starved = true;   // the auxiliary refresh
        // As the published code, whose best score starts above 0: a target stays though nobody has a better score
        // than 0, and each refresh passes as one that found a target.
        bool keeps_stale_target = false;
    };
    static constexpr int none = -1;

    performance_victim(int rank, int size, std::uint64_t seed, const parameters& with, const options& how);

    order next(time_ns now, unsigned hungry) override;
    void answered(int rank, bool with_tasks, time_ns now) override;
    void told(int rank, const statistics& of_rank, time_ns now) override;
    time_ns wake(unsigned hungry) const override;

    int target() const { return target_; }
    const known_rank& known(int rank) const { return known_[static_cast<std::size_t>(rank)]; }

private:
    // Of one worker's hunt for tasks, from hunger to tasks or a pause.
    enum class stage { fresh, tries_cached, wants_refresh, refreshes, refreshed };
    using worker = hungry_workers<stage>::worker;

    bool is_refreshing() const { return missing_ > 0; }
    void begin_refresh(bool automatic);
    void draw_whom_to_ask();
    order ask_next(time_ns now);
    void end_refresh(time_ns now);
    void choose_target();
    order hunt(time_ns now);
    // Brings a worker's hunt to the point where it steals, waits for the refresh, or gives up.
    void go_on(worker& w, time_ns now);

    int size_;
    parameters with_;
    options how_;
    std::vector<known_rank> known_;
    std::vector<time_ns> asked_at_;
    refresh_timer timer_;
    hungry_workers<stage> workers_;
    int target_ = none;
    random_numbers random_;
    std::vector<int> others_;  // the first refresh_asks of them are asked
    std::size_t asks_;         // that many
    std::size_t next_to_ask_;  // a place in others_
    std::size_t missing_ = 0;  // answers of the refresh that is on its way
    bool automatic_ = false;
    bool started_ = false;
};

}  // namespace bough::cluster
