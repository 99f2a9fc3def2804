// The results as a person reads them, in the terminal.

#include <algorithm>
#include <cstdio>

#include "judge.h"
#include "results.h"

namespace bough::calibrate {
namespace {

const char* distance_name(unsigned distance) {
    constexpr const char* names[] = {"same core", "same cache", "same node", "other node"};
    return names[std::min(distance, 3U)];
}

std::string row(const std::string& name, const summary& s) {
    return print("  %-26s %9s %9s %9s %9s %9zu\n", name.c_str(), time_text(s.p50).c_str(),
                 time_text(s.p90).c_str(), time_text(s.p99).c_str(), time_text(s.p999).c_str(), s.count);
}

std::string bar_text(const histogram& bins, std::size_t i, std::uint64_t highest) {
    const auto length = static_cast<std::size_t>(50 * bins[i] / highest);
    const std::string bar = std::string(length, '#') + (length == 0 && bins[i] > 0 ? "." : "");
    return print("  %9s %8llu %s\n", time_text(histogram::lower_ns(i)).c_str(),
                 static_cast<unsigned long long>(bins[i]), bar.c_str());
}

// A bar for each bin between the least time and the 99.9 percentile, the empty ones of a long tail in one line; the
// last line gathers what lies above.
std::string histogram_text(const team_result& t) {
    std::uint64_t highest = 1;
    std::uint64_t above = 0;
    for (std::size_t i = 0; i < histogram::bins; ++i)
        highest = std::max(highest, t.bins[i]);
    std::string text;
    bool gap = true;  // nothing to separate before the first bar
    for (std::size_t i = 0; i < histogram::bins; ++i) {
        if (histogram::lower_ns(i) > t.time.p999) {
            above += t.bins[i];
        } else if (t.bins[i] > 0) {
            text += bar_text(t.bins, i, highest);
            gap = false;
        } else if (!gap) {
            text += "        ...\n";
            gap = true;
        }
    }
    return text + print("  %9s %8llu (up to %s)\n", "above", static_cast<unsigned long long>(above),
                        time_text(t.time.max).c_str());
}

std::string distribution_text(const char* name, const distribution_result& d) {
    std::string text;
    for (const team_result& t : d.teams) {
        text += row(print("%s, %u threads", name, t.team), t.time);
        if (!t.note.empty())
            text += "    (" + t.note + ")\n";
    }
    if (!d.problem.empty())
        text += print("  %s: the measuring process %s\n", name, d.problem.c_str());
    return text;
}

std::string last_histogram(const char* name, const distribution_result& d) {
    if (d.teams.empty() || d.teams.back().time.count == 0)
        return "";
    return print("\nDistribution time, %s, %u threads:\n", name, d.teams.back().team) +
           histogram_text(d.teams.back());
}

std::string clock_text(const results& r) {
    const machine::clock_info& c = r.clock;
    if (c.source == machine::clock_source::steady)
        return "Clock: steady_clock, the fallback: " + c.note + "\n";
    std::string text = print("Clock: %s, %.4f ticks/ns, invariant",
                             c.source == machine::clock_source::tsc ? "TSC" : "cntvct", c.ticks_per_ns);
    if (r.synchrony.pairs > 0)
        text += print("; synchronous: %u pair(s) of CPUs compared, no step back, least step %s",
                      r.synchrony.pairs, time_text(r.synchrony.least_handoff_ns).c_str());
    return text + print("; a stamp costs %s, subtracted\n", time_text(r.stamp_ns).c_str());
}

constexpr double worth_a_word = 0.05;  // as a larger fan-out must save (choose.cpp)

bool is_slower(const interval& ratio) {
    return ratio.low > 1 + worth_a_word;
}

std::string verdict_of(const interval& ratio) {
    if (ratio.high < 1 - worth_a_word)
        return "faster";
    if (is_slower(ratio))
        return print("slower, %s the %.0f %% that are tolerated", is_harm(ratio) ? "beyond" : "within",
                     agreement * 100);
    const bool is_narrow = ratio.low >= 1 - worth_a_word && ratio.high <= 1 + worth_a_word;
    return is_narrow ? "the same within 5 %" : "no clear difference";
}

}  // namespace

std::string time_text(double ns) {
    if (ns < 1000)
        return print(ns < 99.95 ? "%.1f ns" : "%.0f ns", ns);
    if (ns < 1e6)
        return print(ns < 99950 ? "%.2f us" : "%.0f us", ns / 1e3);
    return print("%.2f ms", ns / 1e6);
}

std::string values_text(const profile& chosen, const profile& otherwise) {
    std::string text = print("  %-22s %9s %9s %8s\n", "", "default", "measured", "spread");
    const auto line = [&](const std::string& name, double before, double now, std::optional<double> spread) {
        const std::string apart = spread ? print("%.0f %%", *spread * 100) : "-";
        text += print("  %-22s %9s %9s %8s\n", name.c_str(), time_text(before).c_str(),
                      apart == "-" ? "-" : time_text(now).c_str(), apart.c_str());
    };
    for (std::size_t i = 0; i < chosen.timespan_ns.size(); ++i)
        line(print("timespan, %zu threads", i + 2), otherwise.timespan_ns[i], chosen.timespan_ns[i],
             chosen.spread.timespan[i]);
    line("hand-off", otherwise.handoff_ns, chosen.handoff_ns, chosen.spread.handoff);
    line("wake-up", otherwise.wakeup_ns, chosen.wakeup_ns, chosen.spread.wakeup);
    line("spin time", otherwise.spin_us * 1000, chosen.spin_us * 1000, chosen.spread.wakeup);
    line("steal", otherwise.steal_ns, chosen.steal_ns, chosen.spread.steal);
    return text + print("  %-22s %9u %9u %8s\n", "fan-out", otherwise.fan_out, chosen.fan_out, "-");
}

std::string cases_text(const std::vector<compared_case>& cases) {
    if (cases.empty())
        return "";
    std::string text = print("  %-22s %9s %9s   %s\n", "", "default", "new", "new by default, 95 % interval");
    for (const compared_case& c : cases) {
        text += print("  %-22s %9s %9s   %.2f (%.2f to %.2f): %s\n", c.name.c_str(),
                      time_text(c.default_ns).c_str(), time_text(c.new_ns).c_str(), c.ratio.median,
                      c.ratio.low, c.ratio.high, verdict_of(c.ratio).c_str());
    }
    return text;
}

std::string advice_text(const outcome& found, const std::string& path) {
    const auto& cases = found.cases;
    if (!found.written ||
        std::none_of(cases.begin(), cases.end(), [](const compared_case& c) { return is_slower(c.ratio); }))
        return "";
    return "If what is slower matters to you, delete " + path + ": then the built-in values hold again.\n";
}

std::string report(const results& r, bool verbose) {
    std::string text = clock_text(r);
    text += print("\n  %-26s %9s %9s %9s %9s %9s\n", "", "p50", "p90", "p99", "p99.9", "samples");
    for (const handoff_result& h : r.handoff)
        text += row(print("hand-off, %s", distance_name(h.distance)), h.round_trip);
    if (r.wakeup) {
        text += row("wake-up", r.wakeup->until_awake);
        text += row("wake-up, cost to the waker", r.wakeup->waker);
    }
    if (r.steal)
        text += row("steal", *r.steal);
    text += distribution_text("tree", r.tree) + distribution_text("stealing", r.stealing);
    if (!verbose)
        return text;
    return text + last_histogram("tree", r.tree) + last_histogram("stealing", r.stealing);
}

}  // namespace bough::calibrate
