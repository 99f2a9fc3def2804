#include "settings.h"

#include "report.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "search/launcher.h"

namespace searches {
namespace {

using bough::search::skeleton;

const std::map<std::string, skeleton> skeletons = {{"sequential", skeleton::sequential},
                                                   {"depth-bounded", skeleton::depth_bounded},
                                                   {"budget", skeleton::budget},
                                                   {"stack-stealing", skeleton::stack_stealing},
                                                   {"ordered", skeleton::ordered}};
constexpr unsigned most_threads = 4096;  // slots of an arena

// CLI11 takes -1 for the greatest of 64 bits without a sign, so ranges are of those with one.
constexpr std::int64_t most_int64 = std::numeric_limits<std::int64_t>::max();
constexpr unsigned most_progress_s = 1'000'000;

// Options that are not for every skeleton.
struct skeleton_option {
    const char* name;
    std::vector<skeleton> of;
};
const skeleton_option skeleton_options[] = {{"--budget", {skeleton::budget}},
                                            {"--depth", {skeleton::depth_bounded, skeleton::ordered}},
                                            {"--chunk", {skeleton::stack_stealing}},
                                            {"--order", {skeleton::ordered}}};

}  // namespace

const char* name_of(skeleton how) {
    for (const auto& [name, value] : skeletons)
        if (value == how)
            return name.c_str();
    return "";
}

namespace {

// Of use under mpirun only.
void add_steal_options(CLI::App& app, settings& s) {
    app.add_option("--policy", s.steals.policy, "several ranks: from which one to take tasks")
        ->check(CLI::IsMember(bough::search::policy_names()))
        ->capture_default_str();
    app.add_option("--seed", s.steals.seed, "several ranks: of the policy's random numbers")
        ->check(CLI::Range(std::int64_t{0}, most_int64))
        ->capture_default_str();
    app.add_option("--set", s.tuned,
                   "several ranks: NAME=VALUE, a parameter of the policy; again for another one")
        ->allow_extra_args(false)
        ->check([&s](const std::string& assignment) -> std::string {
            try {
                bough::search::tune(s.steals, assignment);
            } catch (const std::invalid_argument& e) {
                return e.what();
            }
            return {};
        });
}

}  // namespace

void add_options(CLI::App& app, settings& s) {
    app.add_option_function<std::string>(
           "--skeleton", [&s](const std::string& name) { s.how.how = skeletons.at(name); },
           "how the tree is cut into tasks")
        ->check(CLI::IsMember(skeletons))
        ->transform([](std::string name) {  // as in the header: depth_bounded
            std::replace(name.begin(), name.end(), '_', '-');
            return name;
        })
        ->default_str(name_of(s.how.how));
    app.add_option("--budget", s.how.budget, "budget: nodes that a task leaves before it spawns some")
        ->check(CLI::Range(std::int64_t{1}, most_int64))
        ->capture_default_str();
    app.add_option("--depth", s.how.spawn_depth,
                   "depth-bounded, ordered: tasks begin at nodes down to this depth")
        ->check(CLI::Range(0u, ~0u))
        ->capture_default_str();
    app.add_option_function<std::string>(
           "--chunk", [&s](const std::string& some) { s.how.chunked = some == "all"; },
           "stack-stealing: spawn all that is left of a node, or its next child alone")
        ->check(CLI::IsMember({"all", "one"}))
        ->default_str("all");
    app.add_option_function<std::string>(
           "--order", [&s](const std::string& by) { s.how.by_discrepancies = by == "discrepancies"; },
           "ordered: from the left, or fewest steps away from the leftmost child first")
        ->check(CLI::IsMember({"left", "discrepancies"}))
        ->default_str("left");
    app.add_option("--threads", s.threads, "0: as many as CPUs that may be used")
        ->check(CLI::Range(0u, most_threads))
        ->capture_default_str();
    if (bough::search::knows_ranks())
        add_steal_options(app, s);
    app.add_option("--progress", s.progress_s, "seconds between lines on stderr; 0: none")
        ->check(CLI::Range(0u, most_progress_s))
        ->capture_default_str();
    app.add_flag("--json", s.as_json, "the result as JSON");
}

std::string refused_option(const CLI::App& app, const settings& s) {
    for (const auto& [name, of] : skeleton_options) {
        if (app.count(name) == 0 || std::find(of.begin(), of.end(), s.how.how) != of.end())
            continue;
        std::string users;
        for (const skeleton one : of)
            users += (users.empty() ? "--skeleton " : " or ") + std::string(name_of(one));
        return std::string(name) + " is for " + users + ", not for " + name_of(s.how.how);
    }
    for (const char* const name : {"--policy", "--seed", "--set"})
        if (bough::search::knows_ranks() && app.count(name) != 0 && !bough::search::was_launched())
            return std::string(name) + " is for several ranks, which mpirun starts";
    std::set<std::string> names;
    for (const std::string& assignment : s.tuned)
        if (const std::string name = assignment.substr(0, assignment.find('=')); !names.insert(name).second)
            return "--set: " + name + " is set twice";
    return {};
}

struct progress_lines::state {
    std::string whose;
    bough::search::progress watched;
    std::mutex mutex;
    std::condition_variable ends;
    bool has_ended = false;
    std::thread thread;

    void print(unsigned after_s) const {
        const auto get = [](const std::atomic<std::uint64_t>& a) {
            return static_cast<unsigned long long>(a.load(std::memory_order_relaxed));
        };
        std::string best;
        if (watched.has_best.load(
                std::memory_order_acquire))  // pairs with the release in the search; `best` is set
            best = ", best " + std::to_string(watched.best.load(std::memory_order_relaxed));
        const unsigned long long spawned = get(watched.spawned), executed = get(watched.executed);
        std::fprintf(stderr, "bough-search: %s%u s: %s, %s done, %llu to do%s\n", whose.c_str(), after_s,
                     counted(get(watched.nodes), "node").c_str(), counted(executed, "task").c_str(),
                     spawned > executed ? spawned - executed : 0, best.c_str());
    }
    void loop(unsigned every_s) {
        std::unique_lock lock(mutex);
        for (unsigned after_s = every_s;
             !ends.wait_for(lock, std::chrono::seconds(every_s), [&] { return has_ended; });
             after_s += every_s)
            print(after_s);
    }
};

progress_lines::progress_lines(bough::search::options& o, unsigned every_s, std::string whose)
    : state_(std::make_unique<state>()) {
    state_->whose = std::move(whose);
    o.watch = &state_->watched;
    if (every_s != 0)
        state_->thread = std::thread([this, every_s] { state_->loop(every_s); });
}

progress_lines::~progress_lines() {
    if (!state_->thread.joinable())
        return;
    {
        const std::lock_guard lock(state_->mutex);
        state_->has_ended = true;
    }
    state_->ends.notify_one();
    state_->thread.join();
}

}  // namespace searches
