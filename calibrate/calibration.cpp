#include "calibration.h"

#include <algorithm>
#include <thread>

#include "machine/limits.h"

namespace bough::calibrate {
namespace {

// Measuring one team size ends after this long, however few calls were made: on a crowded machine a call takes the
// kernel's time slice, and 10^5 of them minutes.
constexpr double quick_seconds = 4;
constexpr double full_seconds = 60;

// Before each round but the first: so a disturbance that lasts for a second meets one round, two at most. It also
// makes a run long enough to see a load in /proc/stat, which counts in steps of 10 ms: an undisturbed quick run
// measures for a quarter of a second.
constexpr std::chrono::seconds between_rounds{1};

void check_clock(const calibration_plan& plan, results& r, progress& bar) {
    bar.begin("clock: do the cores agree?", 0.05);
    machine::clock();
    if (machine::use_counter && plan.cpus > 1) {
        r.synchrony = machine::check_synchronous(machine::affinity_cpus(), plan.quick ? 2000 : 20'000);
        if (!r.synchrony.synchronous)
            machine::use_steady_clock("the counters of two cores disagree by " +
                                      time_text(r.synchrony.backward_ns) + " or more");
    }
    r.clock = machine::clock();
    r.stamp_ns = stamp_cost_ns();
}

// Shares of the whole run, for the bar: roughly the time that each takes on two cores.
constexpr double costs_share = 0.2 / round_count;
constexpr double fan_outs_share = 0.1;
constexpr double distribution_share = 0.275 / round_count;

std::string of_round(const char* what, unsigned round) {
    return std::string(what) + ", round " + std::to_string(round + 1) + " of " + std::to_string(round_count);
}

void measure_costs(const calibration_plan& plan, results& r, progress& bar, unsigned round) {
    const machine::topology& t = machine::machine_topology();
    bar.begin(of_round("hand-off, wake-up, steal", round), costs_share);
    if (plan.cpus > 1)
        r.handoff = measure_handoff(t, plan.quick);
    r.wakeup = measure_wakeup(t, plan.quick);
    if (plan.cpus > 1)
        r.steal = measure_steal(t, plan.quick);
}

distribution_plan part_of(const calibration_plan& plan, unsigned first_team, std::size_t calls) {
    return {first_team, plan.largest_team, std::max(calls / round_count, least_calls),
            (plan.quick ? quick_seconds : full_seconds) / round_count};
}

distribution_result distribute(const calibration_plan& plan, const profile& values, bool tree, unsigned round,
                               progress& bar) {
    const distribution_plan work = part_of(plan, 2, plan.calls);
    const auto tell = [&](double done) { bar.part(done); };
    bar.begin(of_round(tree ? "distribution in a tree" : "distribution by stealing", round),
              distribution_share);
    if (tree)
        return run_distribution({work, "tree", "timespan", values}, tell);
    return run_distribution({work, "steal", "off", values}, tell);
}

// The fan-out matters from two levels on. In each round every fan-out has its turn.
void try_fan_outs(const calibration_plan& plan, profile values, std::vector<results>& all, progress& bar) {
    if (plan.largest_team < 4)
        return;
    bar.begin("fan-out of the tree", fan_outs_share);
    for (unsigned round = 0; round < round_count; ++round) {
        for (const unsigned fan_out : tried_fan_outs) {
            values.fan_out = fan_out;
            const distribution_plan work = part_of(plan, plan.largest_team, plan.calls / 10);
            const distribution_result d = run_distribution({work, "tree", "timespan", values}, [](double) {});
            if (d.problem.empty() && !d.teams.empty() && d.teams[0].time.count > 0)
                all[round].fan_outs.push_back({fan_out, d.teams[0].time.p50});
        }
        bar.part((round + 1.0) / round_count);
    }
}

}  // namespace

results calibrate(const calibration_plan& plan, progress& bar) {
    std::vector<results> all(round_count);
    all[0].cpus = plan.cpus;
    check_clock(plan, all[0], bar);
    profile values;  // what the measuring processes are tuned by, the same in all rounds
    for (unsigned round = 0; round < round_count; ++round) {
        if (round > 0)
            std::this_thread::sleep_for(between_rounds);
        measure_costs(plan, all[round], bar, round);
        if (plan.largest_team < 2)
            continue;
        if (round == 0) {
            try_fan_outs(plan, choose(all[0]).values, all, bar);
            // The gate is still the default's: it must not depend on an older profile.
            values = choose(merge(all)).values;
        }
        all[round].tree = distribute(plan, values, true, round, bar);
        all[round].stealing = distribute(plan, values, false, round, bar);
    }
    return merge(all);
}

}  // namespace bough::calibrate
