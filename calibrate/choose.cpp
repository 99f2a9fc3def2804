// From what was measured to the values of the profile, each with a line that says why. Pure.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "agreement.h"
#include "results.h"

namespace bough::calibrate {
namespace {

constexpr double most_medians = 4;  // a noisy hour must not close the gate for long
constexpr double worth_it = 0.95;   // a larger fan-out must save 5 %: it costs the caller more stores

std::string percent(double ratio) {
    char text[32];
    std::snprintf(text, sizeof text, "%+.0f %%", (ratio - 1) * 100);
    return text;
}

void choose_timespans(const results& r, choice& c) {
    c.values.spread.timespan.resize(c.values.timespan_ns.size());
    for (std::size_t i = 0; i < c.values.timespan_ns.size(); ++i) {
        const auto team = static_cast<unsigned>(i + 2);
        const auto found = std::find_if(r.tree.teams.begin(), r.tree.teams.end(),
                                        [&](const team_result& t) { return t.team == team; });
        std::string why = "default: not measured";
        if (found != r.tree.teams.end() && found->time.count < least_calls) {
            why = "default: " + (found->note.empty() ? "too few calls" : found->note);
        } else if (found != r.tree.teams.end()) {
            const summary& s = found->time;
            const double cap = most_medians * s.p50;
            c.values.timespan_ns[i] = std::max(1.0, std::min(s.p99, cap));
            c.values.spread.timespan[i] = s.spread;
            why = s.p99 <= cap ? "99th percentile of distribution time"
                               : "four medians, as the 99th percentile (" + time_text(s.p99) + ") is above";
        }
        c.reasons.push_back("timespan, " + std::to_string(team) +
                            " threads: " + time_text(c.values.timespan_ns[i]) + " (" + why + ")");
    }
}

void choose_costs(const results& r, choice& c) {
    profile& p = c.values;
    if (const handoff_result* h = typical_handoff(r.handoff)) {
        p.handoff_ns = std::max(1.0, h->round_trip.p50);
        p.spread.handoff = h->round_trip.spread;
    }
    c.reasons.push_back("hand-off: " + time_text(p.handoff_ns) +
                        (r.handoff.empty() ? " (default: not measured)" : " (median round trip of a line)"));
    if (r.wakeup) {
        p.wakeup_ns = std::max(1.0, r.wakeup->until_awake.p50);
        p.spread.wakeup = r.wakeup->until_awake.spread;
    }
    c.reasons.push_back(
        "wake-up: " + time_text(p.wakeup_ns) +
        (r.wakeup ? " (median, futex call until the sleeper runs)" : " (default: not measured)"));
    if (r.steal) {
        p.steal_ns = std::max(1.0, r.steal->p50);
        p.spread.steal = r.steal->spread;
    }
    c.reasons.push_back(
        "steal: " + time_text(p.steal_ns) +
        (r.steal ? " (median, half of another core's descriptor)" : " (default: not measured)"));
    p.spin_us = p.wakeup_ns / 1000;
    c.reasons.push_back(
        "spin time: " + time_text(p.wakeup_ns) +
        " (one wake-up: whoever spins as long as parking would cost loses at most twice the best)");
}

void choose_fan_out(const results& r, choice& c) {
    std::string why = "default: teams under 4 threads are one level deep, whatever the fan-out";
    double best = 0;
    std::string trials;
    for (const fan_out_trial& t : r.fan_outs) {
        trials += (trials.empty() ? "" : ", ") + std::to_string(t.fan_out) + ": " + time_text(t.median_ns);
        if (best == 0 || t.median_ns < best * worth_it) {
            best = t.median_ns;
            c.values.fan_out = t.fan_out;
        }
    }
    if (!r.fan_outs.empty())
        why = "medians of the largest team: " + trials + "; a larger one must save 5 %";
    c.reasons.push_back("fan-out: " + std::to_string(c.values.fan_out) + " (" + why + ")");
}

void compare(std::vector<std::string>& lines, const std::string& name, double before, double now) {
    const double ratio = now / before;
    if (!do_agree(std::min(before, now), std::max(before, now)))
        lines.push_back(name + ": " + time_text(before) + " before, " + time_text(now) + " now (" +
                        percent(ratio) + ")");
}

}  // namespace

const handoff_result* typical_handoff(const std::vector<handoff_result>& classes) {
    // Where helpers are usually recruited: as far as the node goes. Classes are ordered by distance.
    const handoff_result* typical = nullptr;
    for (const handoff_result& h : classes)
        if (h.round_trip.count > 0 && (typical == nullptr || h.distance <= 2))
            typical = &h;
    return typical;
}

choice choose(const results& r) {
    choice c{default_profile(r.cpus), {}};
    choose_timespans(r, c);
    choose_costs(r, c);
    choose_fan_out(r, c);
    c.values.counter_trusted = r.synchrony.synchronous;
    return c;
}

std::vector<std::string> disagreements(const profile& before, const profile& now) {
    std::vector<std::string> lines;
    const std::size_t teams = std::min(before.timespan_ns.size(), now.timespan_ns.size());
    for (std::size_t i = 0; i < teams; ++i)
        compare(lines, "timespan, " + std::to_string(i + 2) + " threads", before.timespan_ns[i],
                now.timespan_ns[i]);
    compare(lines, "hand-off", before.handoff_ns, now.handoff_ns);
    compare(lines, "wake-up", before.wakeup_ns, now.wakeup_ns);
    compare(lines, "steal", before.steal_ns, now.steal_ns);
    return lines;
}

std::string why_they_differ(const profile& before, const profile& now) {
    if (now.trusted == trust::no)
        return "This run is not to be trusted.";
    if (before.trusted == trust::no)
        return "That calibration is not to be trusted: it was taken by --force.";
    std::vector<std::string> handoff;
    compare(handoff, "hand-off", before.handoff_ns, now.handoff_ns);
    if (!handoff.empty())
        return std::string("A line takes ") + (now.handoff_ns > before.handoff_ns ? "longer" : "less time") +
               " from core to core than then, and so does what is built of lines: a hypervisor has moved the "
               "cores, or "
               "their clock has changed.";
    if (before.trusted == trust::unsaid)
        return "That calibration does not say whether it is to be trusted.";
    return "Both runs were quiet, and the hand-off is the same: nothing tells why. Calibrate again.";
}

}  // namespace bough::calibrate
