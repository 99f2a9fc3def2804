#pragma once
// One run of the experiment: a recorded tree on virtual ranks, by one arm, with one seed.

#include "cluster/agent.h"
#include "cluster/experiment/arms.h"
#include "cluster/simulation/task_tree.h"

namespace bough::cluster {

enum class unevenness { none, distant_rank, slow_rank };

struct replay_options {
    int ranks = 5;
    unsigned workers = 15;
    time_ns delay = 0;  // one way, besides the base; with distant_rank on the links of the last rank only
    unevenness uneven = unevenness::none;
    std::uint64_t seed = 1;
    parameters tunables = {};
};

struct replay_result {
    time_ns makespan = 0;  // until the last task has ended
    time_ns end = 0;       // until every rank knows
    time_ns busy = 0;      // sum over workers
    std::uint64_t executed = 0;
    std::uint64_t messages = 0;
    std::uint64_t events = 0;
    agent_counters sums;
};

// Throws std::logic_error if a task is lost or run twice, or the search does not end.
replay_result replay(const task_tree& tree, const arm& by, const replay_options& with);

}  // namespace bough::cluster
