#include "cluster/experiment/replay.h"

#include <deque>
#include <stdexcept>
#include <vector>

#include "cluster/agent.h"
#include "cluster/simulation/virtual_rank.h"

namespace bough::cluster {
namespace {

// A local network: about what MPI takes over one.
constexpr time_ns base_delay = 5_us;
constexpr time_ns receive_cost = 1_us;

class replayed_run {
public:
    replayed_run(const task_tree& tree, const arm& by, const replay_options& with)
        : with_(with), by_(by), network_(with.ranks, network_options(with)), has_run_(tree.tasks.size()) {
        for (int rank = 0; rank < with.ranks; ++rank)
            ranks_.emplace_back(*this, rank, tree);
        for (one_rank& r : ranks_)
            r.begin(*this);
    }

    replay_result run(std::size_t tasks) {
        replay_result result;
        int over = 0;
        while (over < with_.ranks) {
            if (!network_.step())
                throw std::logic_error("a search in virtual time did not end");
            if (result.makespan == 0 && executed_ == tasks)
                result.makespan = network_.now();
            over = over_;
        }
        result.end = network_.now();
        result.events = network_.events();
        for (const one_rank& r : ranks_)
            add(result, r);
        if (result.executed != tasks)
            throw std::logic_error("a search in virtual time ended with tasks left over");
        return result;
    }

private:
    struct one_rank {
        one_rank(replayed_run& all, int rank, const task_tree& tree)
            : locality(all.network_, rank, tree, locality_options(all, rank)),
              process(all.network_, all.network_.at(rank),
                      [this, &all](epoch_channel& channel) { return next(all, channel); }) {
            process.use(locality);
        }
        void begin(replayed_run& all) {
            locality.on_run = [&all](std::uint32_t task) {
                if (all.has_run_[task])
                    throw std::logic_error("a task ran twice in virtual time");
                all.has_run_[task] = true;
            };
            locality.on_end = [&all] { ++all.executed_; };
        }
        std::unique_ptr<operation> next(replayed_run& all, epoch_channel& channel) {
            if (search) {
                counters = search->counters();
                ++all.over_;
                return nullptr;
            }
            policy = all.policy_of(channel.rank(), locality);
            if (channel.rank() == 0)
                locality.start_with_root();
            auto made =
                std::make_unique<agent>(channel, locality, locality.mail(), *policy, all.with_.tunables);
            search = made.get();
            return made;
        }
        virtual_locality locality;
        std::unique_ptr<victim_policy> policy;
        agent* search = nullptr;
        agent_counters counters;
        virtual_rank process;
    };

    static virtual_network::options network_options(const replay_options& with) {
        virtual_network::options options;
        const int last = with.ranks - 1;
        options.delay = [with, last](int from, int to) {
            const bool far = with.uneven != unevenness::distant_rank || from == last || to == last;
            return base_delay + (far ? with.delay : 0);
        };
        options.jitter = base_delay;
        options.receive_cost = receive_cost;
        options.seed = with.seed;
        return options;
    }
    static virtual_locality::options locality_options(const replayed_run& all, int rank) {
        virtual_locality::options options;
        options.workers = all.with_.workers;
        options.slowness = all.with_.uneven == unevenness::slow_rank && rank == all.with_.ranks - 1 ? 2 : 1;
        options.holds_lock = all.by_.holds_lock;
        options.looks_at_one_depth = all.by_.looks_at_one_depth;
        return options;
    }
    std::unique_ptr<victim_policy> policy_of(int rank, virtual_locality& locality) {
        if (!by_.policy)
            return std::make_unique<oracle_victim>(
                rank, with_.ranks,
                [this](int of) { return ranks_[static_cast<std::size_t>(of)].locality.tasks(); },
                with_.tunables);
        parameters tunables = with_.tunables;
        if (by_.holds_lock)
            tunables.steals_on_the_way = 1;  // that is what the lock does
        auto policy = make_policy(by_.policy, rank, with_.ranks, with_.seed, tunables);
        if (!by_.holds_lock)
            return policy;
        return std::make_unique<watched_policy>(std::move(policy), locality);
    }
    static void add(replay_result& to, const one_rank& r) {
        to.busy += r.locality.busy_time();
        to.executed += r.locality.executed();
        for (const std::uint64_t sent : r.process.channel().sent_to())
            to.messages += sent;
        to.sums.steals_sent += r.counters.steals_sent;
        to.sums.steals_failed += r.counters.steals_failed;
        to.sums.tasks_taken += r.counters.tasks_taken;
        to.sums.questions += r.counters.questions;
        to.sums.token_rounds += r.counters.token_rounds;
        to.sums.steal_time_ns += r.counters.steal_time_ns;
    }

    replay_options with_;
    arm by_;
    virtual_network network_;
    std::deque<one_rank> ranks_;
    std::vector<bool> has_run_;  // by task
    std::size_t executed_ = 0;
    int over_ = 0;
};

}  // namespace

replay_result replay(const task_tree& tree, const arm& by, const replay_options& with) {
    return replayed_run(tree, by, with).run(tree.tasks.size());
}

}  // namespace bough::cluster
