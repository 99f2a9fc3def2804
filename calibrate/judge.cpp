#include "judge.h"

#include <algorithm>

#include "agreement.h"

namespace bough::calibrate {
namespace {

// Of each CPU's time, as the benchmarks' runner has it (others.py): room for the kernel's ticks, interrupts and
// daemons, and for the steps of 10 ms in which /proc/stat counts. One busy program on two CPUs is ten times as much.
constexpr double tolerated_share = 0.05;
// Of one CPU, whatever their number: one program that computes half of the time is noticed on a large machine too,
// where each loop of the largest team waits for the CPU that it disturbs.
constexpr double most_tolerated_cpus = 0.5;

// In a second of our CPU time, and so for any number of CPUs. Only much of it tells anything: four idle quick runs on
// 2 CPUs had 337 to 373, by their own wake-ups; beside busy programs, which the load gives away, there are 250 to 500.
constexpr double tolerated_switches = 1000;

void doubt_spread(std::vector<std::string>& lines, const std::string& name, const summary& s) {
    if (s.count > 0 && s.spread > agreement)
        lines.push_back(
            print("the %s differed by %.0f %% between the middle rounds of the run (up to %.0f %% are "
                  "tolerated)",
                  name.c_str(), s.spread * 100, agreement * 100));
}

void doubt_load(std::vector<std::string>& lines, const disturbance& d) {
    const double allowed = tolerated_cpus(d.cpus);
    if (d.others_cpus.value_or(0) > allowed) {
        const std::string stolen =
            d.stolen_cpus > allowed / 2 ? print(", %.2f of them the hypervisor", d.stolen_cpus) : "";
        lines.push_back(print("other programs kept %.2f of %u CPU(s) busy%s (up to %.2f are tolerated)",
                              *d.others_cpus, d.cpus, stolen.c_str(), allowed));
    }
    // On one CPU the two threads of the wake-up measure take it from each other.
    if (d.cpus > 1 && d.switches_per_cpu_s > tolerated_switches)
        lines.push_back(
            print("its threads lost their CPU %.0f times in a second of their time (up to %.0f are "
                  "tolerated)",
                  d.switches_per_cpu_s, tolerated_switches));
}

}  // namespace

double tolerated_cpus(unsigned cpus) {
    return std::min(tolerated_share * cpus, most_tolerated_cpus);
}

std::vector<std::string> doubts(const results& r, const disturbance& d) {
    std::vector<std::string> lines;
    for (const distribution_result* part : {&r.tree, &r.stealing})
        if (!part->problem.empty())
            lines.push_back("the measuring process " + part->problem);
    doubt_load(lines, d);
    for (const team_result& t : r.tree.teams)
        if (t.time.count < least_calls)
            lines.push_back(print("only %zu loops of %u threads could be measured", t.time.count, t.team));
    if (const handoff_result* h = typical_handoff(r.handoff))
        doubt_spread(lines, "hand-off", h->round_trip);
    if (r.wakeup)
        doubt_spread(lines, "wake-up", r.wakeup->until_awake);
    if (r.steal)
        doubt_spread(lines, "steal", *r.steal);
    for (const team_result& t : r.tree.teams)
        doubt_spread(lines, print("distribution time of %u threads", t.team), t.time);
    return lines;
}

bool is_harm(const interval& ratio) {
    return ratio.low > 1 + agreement;
}

std::vector<std::string> harms(const std::vector<compared_case>& cases) {
    std::vector<std::string> lines;
    for (const compared_case& c : cases)
        if (is_harm(c.ratio))
            lines.push_back(print("with it %s take %.2f times as long as with the defaults", c.name.c_str(),
                                  c.ratio.median));
    return lines;
}

std::vector<std::string> losses(const profile& before, const profile& now) {
    const auto teams = [](const profile& p) {
        return std::count_if(p.spread.timespan.begin(), p.spread.timespan.end(),
                             [](const std::optional<double>& s) { return s.has_value(); });
    };
    if (teams(now) < teams(before))
        return {print("the profile that is there measured %td team sizes, this run %td", teams(before),
                      teams(now))};
    return {};
}

}  // namespace bough::calibrate
