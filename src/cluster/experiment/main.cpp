// bough_cluster_experiment: replays recorded searches in virtual time and writes a line for each run. README.md
// beside it.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "cluster/experiment/options.h"
#include "cluster/experiment/replay.h"
#include "cluster/experiment/workloads.h"

namespace {

using namespace bough::cluster;
using std::string;

constexpr char usage[] =
    "usage: bough_cluster_experiment [--OPTION LIST ...]   prints CSV, one line for each run\n"
    "  --workload  uts-geometric, uts-binomial, semigroups (default: these), uts-geometric-12, -14, "
    "uts-binomial-20k,\n"
    "              semigroups-28, or a file of tasks\n"
    "  --ranks     5,10,20        --workers 15       --delay-us 0,50,500,5000     (one way)\n"
    "  --uneven    none, distant, slow               --arm A0,A1,...  (default: all)\n"
    "  --seeds     30             --budget 500       --node-ns 20000\n"
    "  --back-off-cap-us 500000   the longest pause of a starved worker\n"
    "  --steals 0                 on their way, for each rank at a time; 0: one for each worker\n"
    "  --asks 32                  ranks asked in one refresh of A4 to A6\n"
    "  --record FILE   writes the tasks of the one workload and ends\n";

unevenness uneven_named(const string& name) {
    if (name == "none")
        return unevenness::none;
    if (name == "distant")
        return unevenness::distant_rank;
    if (name == "slow")
        return unevenness::slow_rank;
    throw std::invalid_argument("--uneven " + name + ": allowed are none, distant, slow");
}

options with_defaults(int argc, char** argv) {
    options defaults{{"--workload", "uts-geometric,uts-binomial,semigroups"},
                     {"--ranks", "5,10,20"},
                     {"--workers", "15"},
                     {"--delay-us", "0,50,500,5000"},
                     {"--uneven", "none"},
                     {"--arm", ""},
                     {"--seeds", "30"},
                     {"--budget", "500"},
                     {"--node-ns", "20000"},
                     {"--back-off-cap-us", "500000"},
                     {"--steals", "0"},
                     {"--asks", "32"},
                     {"--record", ""}};
    for (const arm& a : arms())
        defaults["--arm"] += string(defaults["--arm"].empty() ? "" : ",") + a.name;
    return read_options(argc, argv, std::move(defaults), usage);
}

void print_run(const string& workload, const task_tree& tree, const arm& by, const string& uneven,
               const replay_options& with) {
    const replay_result r = replay(tree, by, with);
    const double workers = with.ranks * static_cast<double>(with.workers);
    std::printf(
        "%s,%d,%u,%lld,%s,%u,%s,%llu,%lld,%lld,%.6g,%.6g,%zu,%llu,%llu,%llu,%llu,%llu,%.6g,%llu\n",
        workload.c_str(), with.ranks, with.workers, static_cast<long long>(with.delay / 1_us), uneven.c_str(),
        with.tunables.steals_on_the_way, by.name, static_cast<unsigned long long>(with.seed),
        static_cast<long long>(r.makespan), static_cast<long long>(r.end),
        static_cast<double>(r.makespan) / (static_cast<double>(r.busy) / workers),
        1 - static_cast<double>(r.busy) / (static_cast<double>(r.makespan) * workers), tree.tasks.size(),
        static_cast<unsigned long long>(r.sums.steals_sent),
        static_cast<unsigned long long>(r.sums.steals_failed),
        static_cast<unsigned long long>(r.sums.tasks_taken),
        static_cast<unsigned long long>(r.sums.questions), static_cast<unsigned long long>(r.messages),
        static_cast<double>(r.sums.steal_time_ns) /
            static_cast<double>(std::max<std::uint64_t>(r.sums.steals_sent, 1)),
        static_cast<unsigned long long>(r.events));
    std::fflush(stdout);  // a run of many ranks takes seconds
}

void run_workload(const string& workload, const options& given) {
    workload_options how;
    how.budget = static_cast<std::uint32_t>(number(given, "--budget", 1, 1'000'000'000));
    how.node_cost = number(given, "--node-ns", 1, 1'000'000'000);
    const task_tree tree = make_workload(workload, how);
    std::fprintf(stderr, "%s: %zu tasks, %lld nodes, %.1f s of work, %.3f s of span\n", workload.c_str(),
                 tree.tasks.size(), static_cast<long long>(tree.work() / how.node_cost),
                 static_cast<double>(tree.work()) / 1e9, static_cast<double>(tree.span()) / 1e9);
    if (const string& file = given.at("--record"); !file.empty())
        return write_tree(tree, file);
    const auto seeds = static_cast<std::uint64_t>(number(given, "--seeds", 1, 1'000'000));
    replay_options with;
    with.workers = static_cast<unsigned>(number(given, "--workers", 1, 1'000));
    with.tunables.back_off_cap = number(given, "--back-off-cap-us", 200, 1'000'000'000) * 1_us;
    const auto steals = static_cast<std::uint32_t>(number(given, "--steals", 0, 1'000));
    with.tunables.steals_on_the_way = steals == 0 ? with.workers : steals;
    with.tunables.refresh_asks = static_cast<int>(number(given, "--asks", 1, 10'000));
    for (const string& ranks : split(given.at("--ranks"))) {
        with.ranks = static_cast<int>(number("--ranks", ranks, 1, 10'000));
        for (const string& delay : split(given.at("--delay-us"))) {
            with.delay = number("--delay-us", delay, 0, 1'000'000'000) * 1_us;
            for (const string& uneven : split(given.at("--uneven"))) {
                with.uneven = uneven_named(uneven);
                for (with.seed = 1; with.seed <= seeds; ++with.seed)
                    for (const string& name : split(given.at("--arm")))
                        print_run(workload, tree, arm_named(name), uneven, with);
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
            std::fputs(usage, stdout);
            return 0;
        }
        const options given = with_defaults(argc, argv);
        if (given.at("--record").empty())
            std::puts(
                "workload,ranks,workers,delay_us,uneven,at_once,arm,seed,makespan_ns,end_ns,over_ideal,idle,"
                "tasks,steals,"
                "steals_failed,tasks_stolen,questions,messages,steal_ns,events");
        for (const string& workload : split(given.at("--workload")))
            run_workload(workload, given);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bough_cluster_experiment: %s\n", e.what());
        return 2;
    }
}
