#pragma once
// A whole run in virtual time: ranks with workers that replay one tree, on one policy.

#include <deque>
#include <memory>
#include <string>

#include "cluster/agent.h"
#include "cluster/simulation/virtual_rank.h"

namespace bough_test {

struct virtual_run {
    int ranks = 4;
    unsigned workers = 2;
    std::string policy = "random";
    std::uint64_t seed = 1;
    int searches = 1;
    bough::cluster::time_ns jitter = 20'000;
    double late_share = 0;  // of messages that take 3 ms longer
    bough::cluster::parameters with = {};
};

class virtual_cluster {
public:
    virtual_cluster(const virtual_run& run, const bough::cluster::task_tree& tree)
        : run_(run),
          network_(
              run.ranks,
              {.jitter = run.jitter, .late_share = run.late_share, .late_by = 3'000'000, .seed = run.seed}) {
        for (int rank = 0; rank < run.ranks; ++rank)
            ranks_.emplace_back(*this, rank, tree);
    }

    // Until all ranks have begun.
    void begins() {
        while (network_.now() == 0 && network_.step()) {
        }
    }
    // The rank's agent looks at its mail then.
    void nudge(int rank, bough::cluster::time_ns time) { network_.wake_at(rank, time); }
    // Whether all ranks came to their end, before `most` events.
    bool runs_to_its_end(std::uint64_t most = 1'000'000) {
        while (network_.events() < most && network_.step()) {
            bool over = true;
            for (const auto& r : ranks_)
                over = over && r.process.is_over();
            if (over)
                return true;
        }
        return false;
    }

    std::uint64_t executed() const { return sum(&bough::cluster::virtual_locality::executed); }
    std::uint64_t spawned() const { return sum(&bough::cluster::virtual_locality::spawned); }
    std::uint64_t dropped() const { return sum(&bough::cluster::virtual_locality::dropped); }
    bough::cluster::virtual_locality& locality(int rank) {
        return ranks_[static_cast<std::size_t>(rank)].locality;
    }
    const bough::cluster::agent_counters& counters(int rank) {
        return ranks_[static_cast<std::size_t>(rank)].counters;
    }
    // The number of the rank's search, from 1.
    int search_of(int rank) { return ranks_[static_cast<std::size_t>(rank)].searches; }
    bough::cluster::time_ns now() const { return network_.now(); }

private:
    struct one_rank {
        one_rank(virtual_cluster& all, int rank, const bough::cluster::task_tree& tree)
            : locality(all.network_, rank, tree, {.workers = all.run_.workers}),
              process(all.network_, all.network_.at(rank),
                      [this, &all](auto& channel) { return next(all, channel); }) {
            process.use(locality);
        }
        std::unique_ptr<bough::cluster::operation> next(virtual_cluster& all,
                                                        bough::cluster::epoch_channel& channel) {
            if (running)
                counters = running->counters();
            if (searches++ == all.run_.searches)
                return nullptr;
            policy = bough::cluster::make_policy(all.run_.policy, channel.rank(), channel.size(),
                                                 all.run_.seed, all.run_.with);
            locality.mail().reset();
            locality.restart();
            if (channel.rank() == 0)
                locality.start_with_root();
            auto search = std::make_unique<bough::cluster::agent>(channel, locality, locality.mail(), *policy,
                                                                  all.run_.with);
            running = search.get();
            return search;
        }
        bough::cluster::virtual_locality locality;
        std::unique_ptr<bough::cluster::victim_policy> policy;
        bough::cluster::agent* running = nullptr;
        bough::cluster::agent_counters counters;
        int searches = 0;
        bough::cluster::virtual_rank process;
    };

    std::uint64_t sum(std::uint64_t (bough::cluster::virtual_locality::*of)() const) const {
        std::uint64_t all = 0;
        for (const one_rank& r : ranks_)
            all += (r.locality.*of)();
        return all;
    }

    virtual_run run_;
    bough::cluster::virtual_network network_;
    std::deque<one_rank> ranks_;
};

}  // namespace bough_test
