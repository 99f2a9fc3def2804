#pragma once
// One search on one rank, as its agent sees it: fetches tasks when the locality has none, answers thieves, spreads
// bounds, passes Safra's token on. Of one thread; workers reach it by the mail only. README.md has the messages.

#include <cstdint>
#include <optional>
#include <vector>

#include "cluster/epoch_channel.h"
#include "cluster/local_work.h"
#include "cluster/operation.h"
#include "cluster/parameters.h"
#include "cluster/safra.h"
#include "cluster/victim_policy.h"
#include "cluster/worker_mail.h"

namespace bough::cluster {

// What happened on this rank in one search.
struct agent_counters {
    std::uint64_t steals_sent = 0;
    std::uint64_t steals_failed = 0;
    std::uint64_t steals_unanswered = 0;  // of those sent: the search was over first
    std::uint64_t steals_answered = 0;    // those of other ranks, with tasks or without
    std::uint64_t tasks_given = 0;
    std::uint64_t tasks_taken = 0;
    std::uint64_t questions = 0;  // STATS_REQ sent
    std::uint64_t bounds_sent = 0;
    std::uint64_t token_rounds = 0;   // rank 0
    std::uint64_t steal_time_ns = 0;  // sum over answered steals of this rank, from request to answer
};

class agent final : public operation {
public:
    agent(epoch_channel& channel, local_work& work, worker_mail& mail, victim_policy& policy,
          const parameters& with = {});

    void handle(message& m) override;
    time_ns act() override;
    bool is_over() const override { return over_; }

    bool is_stopped() const { return stopped_; }
    const agent_counters& counters() const { return counters_; }

private:
    void receive(steal_request& r, int from);
    void receive(stolen_tasks& t, int from);
    void receive(nothing_to_steal&, int from);
    void receive(statistics_request&, int from);
    void receive(statistics& s, int from) { policy_.told(from, s, channel_.now()); }
    void receive(bound_found& b, int from);
    void receive(stop_all& s, int from);
    void receive(safra_token& t, int) { ring_.take_token(t); }
    void receive(search_done& d, int from);
    void receive(partial_result&, int) {}
    void receive(total_result&, int) {}
    void receive(alive&, int) {}
    void receive(operation_begun&, int) {}

    void read_mail();
    void stop(int origin);
    // Workers that run no task; one if the locality does not know.
    unsigned idle_workers() const;
    // Those of them that will find nothing in the pool: each queued task feeds one.
    unsigned hungry_workers() const;
    // A steal of that rank is answered.
    void count_answer(int from);
    void look_for_tasks(time_ns now);
    time_ns look_for_the_end(time_ns now);
    void end_probe_pause(time_ns now);
    // To all ranks if there are few; else to the children of this rank in a binary tree whose root is the origin.
    void spread(int origin, const message_body& body);

    epoch_channel& channel_;
    local_work& work_;
    worker_mail& mail_;
    victim_policy& policy_;
    parameters with_;
    safra ring_;
    std::int64_t best_bound_ = worker_mail::no_bound;
    bool stopped_ = false;
    bool over_ = false;
    struct steal_sent {
        int to;
        time_ns at;
    };
    std::vector<steal_sent> steals_on_the_way_;
    // Tasks from other ranks that may still wait in the pool. One for each idle worker stays here for the time of a
    // wake-up, also on a busy machine: a task that is stolen on before a worker has woken up would travel from rank to
    // rank and never run. No longer: a worker that is free may never come, as its slot's thread may be blocked.
    static constexpr time_ns wake_up_ns = 1'000'000;
    std::size_t arrived_ = 0;
    time_ns keep_until_ = 0;
    time_ns next_probe_ = 0;
    time_ns probe_pause_;
    agent_counters counters_;
};

}  // namespace bough::cluster
