// bough_cluster_sleep: the experiment's second tier. Recorded searches are replayed on MPI, by workers that sleep for
// what a task costs; the agents, their messages and the end of a search are real, and messages are held back by the
// wanted delay. All ranks run on one machine: its monotonic clock is theirs. README.md beside it.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "cluster/delayed_transport.h"
#include "cluster/experiment/options.h"
#include "cluster/experiment/sleeping_locality.h"
#include "cluster/experiment/workloads.h"
#include "cluster/mpi_transport.h"
#include "cluster/session.h"
#include "cluster/transport_over.h"
#include "cluster/wire.h"

namespace {

using namespace bough::cluster;
using std::string;

constexpr char usage[] =
    "usage: mpirun -n RANKS bough_cluster_sleep [--OPTION LIST ...]   prints CSV, one line for each run\n"
    "  --workload semigroups   --workers 2   --delay-us 500 (one way)   --arm A2,A4   --seeds 10   --steals "
    "0\n"
    "  --budget 500            --node-ns 20000\n";

class counting_transport final : public transport_over {
public:
    using transport_over::transport_over;
    void send(int to, message m) override {
        ++sent_;
        transport_over::send(to, std::move(m));
    }
    std::uint64_t sent() const { return sent_; }

private:
    std::uint64_t sent_ = 0;
};

// Of one run, of one rank or of all.
struct run_report {
    sleepers_report work;
    agent_counters agents;
    std::uint64_t messages = 0;
    time_ns begin = never;
    time_ns end = 0;
};

void add(run_report& to, const run_report& more) {
    to.work.executed += more.work.executed;
    to.work.hashes += more.work.hashes;
    to.work.busy += more.work.busy;
    to.work.last_end = std::max(to.work.last_end, more.work.last_end);
    to.agents.steals_sent += more.agents.steals_sent;
    to.agents.steals_failed += more.agents.steals_failed;
    to.agents.tasks_taken += more.agents.tasks_taken;
    to.agents.questions += more.agents.questions;
    to.agents.steal_time_ns += more.agents.steal_time_ns;
    to.messages += more.messages;
    to.begin = std::min(to.begin, more.begin);
    to.end = std::max(to.end, more.end);
}

run_report sum(session& ranks, const run_report& mine) {
    wire_writer to;
    to.put(mine);
    const bytes all = ranks.all_reduce(to.take(), [](bytes& into, const bytes& from) {
        auto both = wire_reader(into).get<run_report>();
        add(both, wire_reader(from).get<run_report>());
        wire_writer out;
        out.put(both);
        into = out.take();
    });
    return wire_reader(all).get<run_report>();
}

struct setting {
    string workload;
    unsigned workers;
    time_ns delay;
    std::uint32_t at_once;
};

run_report run_once(session& ranks, const counting_transport& count, const task_tree& tree, const arm& by,
                    const setting& with, std::uint64_t seed) {
    parameters tunables;
    tunables.steals_on_the_way = with.at_once;
    sleeping_locality work(tree, with.workers, ranks.mail());
    const auto policy = make_policy(by.policy, ranks.rank(), ranks.size(), seed, tunables);
    sum(ranks, {});  // all are here
    run_report mine;
    const std::uint64_t sent_before = count.sent();
    mine.begin = sleeping_locality::now();
    if (ranks.rank() == 0)
        work.start_with_root();
    mine.agents = ranks.search(work, *policy);
    mine.end = sleeping_locality::now();
    mine.messages = count.sent() - sent_before;
    mine.work = work.report();
    return sum(ranks, mine);
}

void check(const run_report& r, const task_tree& tree) {
    std::uint64_t hashes = 0;
    for (std::uint32_t task = 0; task < tree.tasks.size(); ++task)
        hashes += sleeping_locality::hash(task);
    if (r.work.executed != tree.tasks.size() || r.work.hashes != hashes)
        throw std::logic_error("a task was lost or run twice");
}

// As bough_cluster_experiment prints it; events are of virtual time only.
void print(const run_report& r, const task_tree& tree, const char* arm, const setting& with, int ranks,
           std::uint64_t seed) {
    const auto whole = [](auto number) { return static_cast<unsigned long long>(number); };
    const double makespan = static_cast<double>(r.work.last_end - r.begin);
    const double workers = ranks * static_cast<double>(with.workers);
    std::printf("%s,%d,%u,%llu,none,%u,%s,%llu,%llu,%llu,%.6g,%.6g,%zu,%llu,%llu,%llu,%llu,%llu,%.6g,0\n",
                with.workload.c_str(), ranks, with.workers, whole(with.delay / 1_us), with.at_once, arm,
                whole(seed), whole(r.work.last_end - r.begin), whole(r.end - r.begin),
                makespan / (static_cast<double>(r.work.busy) / workers),
                1 - static_cast<double>(r.work.busy) / (makespan * workers), tree.tasks.size(),
                whole(r.agents.steals_sent), whole(r.agents.steals_failed), whole(r.agents.tasks_taken),
                whole(r.agents.questions), whole(r.messages),
                static_cast<double>(r.agents.steal_time_ns) /
                    static_cast<double>(std::max<std::uint64_t>(r.agents.steals_sent, 1)));
    std::fflush(stdout);
}

const arm& real_arm(const string& name) {
    const arm& by = arm_named(name);
    if (!by.policy || by.holds_lock || by.looks_at_one_depth)
        throw std::invalid_argument("--arm " + name + ": that one is there in virtual time only");
    return by;
}

// Arms run in turn, each first as often as the others: what else the machine does hits all alike.
void run_cell(session& ranks, const counting_transport& count, const task_tree& tree, const setting& with,
              const std::vector<string>& arms, std::uint64_t seeds) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (std::size_t i = 0; i < arms.size(); ++i) {
            const arm& by = real_arm(arms[(i + seed) % arms.size()]);
            const run_report r = run_once(ranks, count, tree, by, with, seed);
            check(r, tree);
            if (ranks.rank() == 0)
                print(r, tree, by.name, with, ranks.size(), seed);
        }
    }
}

int body(int argc, char** argv, transport& over) {
    const options given = read_options(argc, argv,
                                       {{"--workload", "semigroups"},
                                        {"--workers", "2"},
                                        {"--delay-us", "500"},
                                        {"--arm", "A2,A4"},
                                        {"--seeds", "10"},
                                        {"--steals", "0"},
                                        {"--budget", "500"},
                                        {"--node-ns", "20000"}},
                                       usage);
    workload_options how;
    how.budget = static_cast<std::uint32_t>(number(given, "--budget", 1, 1'000'000'000));
    how.node_cost = number(given, "--node-ns", 1, 1'000'000'000);
    setting with;
    with.workload = given.at("--workload");
    with.workers = static_cast<unsigned>(number(given, "--workers", 1, 1'000));
    with.delay = number(given, "--delay-us", 0, 1'000'000'000) * 1_us;
    const auto steals = static_cast<unsigned>(number(given, "--steals", 0, 1'000));
    with.at_once = steals == 0 ? with.workers : steals;
    const task_tree tree = make_workload(with.workload, how);

    counting_transport count(over);
    delayed_transport late(count, std::vector<time_ns>(static_cast<std::size_t>(over.size()), with.delay));
    session ranks(late);
    if (ranks.rank() == 0)
        std::puts(
            "workload,ranks,workers,delay_us,uneven,at_once,arm,seed,makespan_ns,end_ns,over_ideal,idle,"
            "tasks,steals,steals_failed,tasks_stolen,questions,messages,steal_ns,events");
    run_cell(ranks, count, tree, with, split(given.at("--arm")),
             static_cast<std::uint64_t>(number(given, "--seeds", 1, 1'000'000)));
    ranks.end();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_on_mpi(argc, argv, body);
}
