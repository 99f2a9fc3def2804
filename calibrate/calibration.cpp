#include "calibration.h"

#include <algorithm>

#include "machine/limits.h"

namespace bough::calibrate {
namespace {

// Measuring one team size ends after this long, however few calls were made: on a crowded machine a call takes the
// kernel's time slice, and 10^5 of them minutes.
constexpr double quick_seconds = 4;
constexpr double full_seconds = 60;

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

void measure_costs(const calibration_plan& plan, results& r, progress& bar) {
    const machine::topology& t = machine::machine_topology();
    if (plan.cpus > 1) {
        bar.begin("hand-off between cores", 0.05);
        r.handoff = measure_handoff(t, plan.quick);
    }
    bar.begin("wake-up of a parked thread", 0.1);
    r.wakeup = measure_wakeup(t, plan.quick);
    if (plan.cpus > 1) {
        bar.begin("steal from another core", 0.05);
        r.steal = measure_steal(t, plan.quick);
    }
}

distribution_result distribute(const calibration_plan& plan, const profile& values, bool tree,
                               progress& bar) {
    const distribution_plan work{2, plan.largest_team, plan.calls, plan.quick ? quick_seconds : full_seconds};
    const auto tell = [&](double done) { bar.part(done); };
    bar.begin(tree ? "distribution in a tree" : "distribution by stealing", 0.3);
    if (tree)
        return run_distribution({work, "tree", "timespan", values}, tell);
    return run_distribution({work, "steal", "off", values}, tell);
}

// The fan-out matters from two levels on.
std::vector<fan_out_trial> try_fan_outs(const calibration_plan& plan, profile values, progress& bar) {
    std::vector<fan_out_trial> trials;
    if (plan.largest_team < 4)
        return trials;
    bar.begin("fan-out of the tree", 0.15);
    for (const unsigned fan_out : {2U, 3U, 4U}) {
        values.fan_out = fan_out;
        const std::size_t calls = std::max<std::size_t>(plan.calls / 10, 1000);
        const distribution_plan work{plan.largest_team, plan.largest_team, calls, quick_seconds};
        const distribution_result d = run_distribution({work, "tree", "timespan", values}, [](double) {});
        if (d.problem.empty() && !d.teams.empty() && d.teams[0].time.count > 0)
            trials.push_back({fan_out, d.teams[0].time.p50});
        bar.part((fan_out - 1) / 3.0);
    }
    return trials;
}

}  // namespace

results calibrate(const calibration_plan& plan, progress& bar) {
    results r;
    r.cpus = plan.cpus;
    check_clock(plan, r, bar);
    measure_costs(plan, r, bar);
    if (plan.largest_team < 2)
        return r;
    r.fan_outs = try_fan_outs(plan, choose(r).values, bar);
    const profile values =
        choose(r).values;  // the gate is still the default's: it must not depend on an older profile
    r.tree = distribute(plan, values, true, bar);
    r.stealing = distribute(plan, values, false, bar);
    r.handoff_at_end_ns = typical_handoff_ns(measure_handoff(machine::machine_topology(), plan.quick));
    return r;
}

}  // namespace bough::calibrate
