// The distribution measure in a process of its own (measuring_child.h): the hidden option --measure-distribution.
// Protocol, one line each: "progress TEAM CALLS", and per team
// "team SIZE COUNT MIN P50 P90 P99 P999 MAX BINS (BIN TIMES)... NOTE".

#include <cstdio>
#include <sstream>
#include <stdexcept>

#include "measuring_child.h"
#include "results.h"

namespace bough::calibrate {
namespace {

void print_team(const team_result& t) {
    std::ostringstream line;
    line.precision(10);
    const summary& s = t.time;
    line << "team " << t.team << ' ' << s.count << ' ' << s.min << ' ' << s.p50 << ' ' << s.p90 << ' '
         << s.p99 << ' ' << s.p999 << ' ' << s.max;
    std::size_t used = 0;
    std::ostringstream bins;
    for (std::size_t i = 0; i < histogram::bins; ++i) {
        if (t.bins[i] == 0)
            continue;
        bins << ' ' << i << ' ' << t.bins[i];
        ++used;
    }
    std::printf("%s %zu%s %s\n", line.str().c_str(), used, bins.str().c_str(), t.note.c_str());
    std::fflush(stdout);
}

team_result parse_team(std::istringstream& line) {
    team_result t;
    summary& s = t.time;
    std::size_t used = 0;
    line >> t.team >> s.count >> s.min >> s.p50 >> s.p90 >> s.p99 >> s.p999 >> s.max >> used;
    for (std::size_t i = 0; i < used && line; ++i) {
        std::size_t bin = 0;
        std::uint64_t times = 0;
        line >> bin >> times;
        t.bins.add_to_bin(bin, times);
    }
    if (!line)
        throw std::runtime_error("the measuring process wrote a line that cannot be read");
    std::getline(line >> std::ws, t.note);
    return t;
}

}  // namespace

distribution_result run_distribution(const distribution_run& run, const std::function<void(double)>& tell) {
    const distribution_plan& plan = run.plan;
    const temporary_profile tuned_by(run.values);
    const child c = measuring_child({"--measure-distribution", std::to_string(plan.first_team),
                                     std::to_string(plan.last_team), std::to_string(plan.calls),
                                     std::to_string(plan.seconds_per_team)},
                                    {plan.last_team, run.distribute, run.gate}, run.values, tuned_by);
    distribution_result result;
    const double teams = plan.last_team - plan.first_team + 1;
    result.problem = run_child(c, [&](const std::string& text) {
        std::istringstream line(text);
        std::string word;
        line >> word;
        if (word == "team")
            result.teams.push_back(parse_team(line));
        unsigned team = 0;
        double calls = 0;
        if (word == "progress" && line >> team >> calls)
            tell((team - plan.first_team + calls / static_cast<double>(plan.calls)) / teams);
    });
    return result;
}

void serve_distribution(const distribution_plan& plan) {
    measure_distribution(
        plan,
        [](unsigned team, std::size_t calls) {
            std::printf("progress %u %zu\n", team, calls);
            std::fflush(stdout);
        },
        print_team);
}

}  // namespace bough::calibrate
