// The results as programs read them: --json, and what plot.py draws. Times in ns.

#include <nlohmann/json.hpp>

#include "results.h"

namespace bough::calibrate {
namespace {

using nlohmann::json;

json of(const summary& s) {
    return {{"count", s.count}, {"min", s.min},    {"p50", s.p50}, {"p90", s.p90},
            {"p99", s.p99},     {"p99.9", s.p999}, {"max", s.max}, {"spread", s.spread}};
}

json of(const histogram& h) {
    json bins = json::array();
    for (std::size_t i = 0; i < histogram::bins; ++i)
        if (h[i] > 0)
            bins.push_back({{"from_ns", histogram::lower_ns(i)},
                            {"to_ns", histogram::lower_ns(i + 1)},
                            {"count", h[i]}});
    return bins;
}

json of(const distribution_result& d) {
    json teams = json::array();
    for (const team_result& t : d.teams)
        teams.push_back(
            {{"threads", t.team}, {"time_ns", of(t.time)}, {"histogram", of(t.bins)}, {"note", t.note}});
    return {{"teams", teams}, {"problem", d.problem}};
}

json of_clock(const results& r) {
    const char* source = r.clock.source == machine::clock_source::tsc      ? "tsc"
                         : r.clock.source == machine::clock_source::cntvct ? "cntvct"
                                                                           : "steady_clock";
    return {{"source", source},
            {"ticks_per_ns", r.clock.ticks_per_ns},
            {"invariant", r.clock.invariant},
            {"synchronous", r.synchrony.synchronous},
            {"pairs_compared", r.synchrony.pairs},
            {"largest_step_back_ns", r.synchrony.backward_ns},
            {"note", r.clock.note},
            {"stamp_ns", r.stamp_ns}};
}

json of(const std::vector<compared_case>& cases) {
    json list = json::array();
    for (const compared_case& c : cases)
        list.push_back({{"name", c.name},
                        {"default_ns", c.default_ns},
                        {"new_ns", c.new_ns},
                        {"new_by_default", c.ratio.median},
                        {"interval", {c.ratio.low, c.ratio.high}}});
    return list;
}

}  // namespace

std::string results_json(const results& r, const outcome& o) {
    json handoff = json::array();
    for (const handoff_result& h : r.handoff)
        handoff.push_back({{"distance", h.distance},
                           {"from_cpu", h.from_cpu},
                           {"to_cpu", h.to_cpu},
                           {"round_trip_ns", of(h.round_trip)}});
    json fan_outs = json::array();
    for (const fan_out_trial& t : r.fan_outs)
        fan_outs.push_back({{"fan_out", t.fan_out}, {"median_ns", t.median_ns}});
    const json root = {{"cpus", r.cpus},
                       {"clock", of_clock(r)},
                       {"handoff", handoff},
                       {"wakeup_ns", r.wakeup ? of(r.wakeup->until_awake) : json()},
                       {"wakeup_cost_to_waker_ns", r.wakeup ? of(r.wakeup->waker) : json()},
                       {"steal_ns", r.steal ? of(*r.steal) : json()},
                       {"distribution", {{"tree", of(r.tree)}, {"stealing", of(r.stealing)}}},
                       {"fan_out_trials", fan_outs},
                       {"cases", of(o.cases)},
                       {"doubts", o.doubts},
                       {"written", o.written},
                       {"profile", json::parse(to_json(o.chosen))}};
    return root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace bough::calibrate
