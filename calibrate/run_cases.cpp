// The cases under the defaults and under the new profile, each run in a process of its own (measuring_child.h), in
// turns. The hidden option is --measure-cases THREADS. Protocol: one line "cases NS NS NS".

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "measuring_child.h"
#include "results.h"

namespace bough::calibrate {
namespace {

constexpr std::array<const char*, 3> case_names{"short loops", "uneven loops", "loops after a pause"};

// Empty if the process failed.
std::vector<double> run_once(unsigned threads, const profile& values, const temporary_profile& file) {
    const child c = measuring_child({"--measure-cases", std::to_string(threads)},
                                    {threads, "tree", "timespan"}, values, file);
    std::vector<double> times;
    const std::string problem = run_child(c, [&](const std::string& text) {
        std::istringstream line(text);
        std::string word;
        line >> word;
        for (double ns = 0; word == "cases" && line >> ns;)
            times.push_back(ns);
    });
    return problem.empty() && times.size() == case_names.size() ? times : std::vector<double>{};
}

}  // namespace

std::vector<compared_case> compare_cases(const std::vector<case_pair>& pairs) {
    std::vector<compared_case> all;
    for (std::size_t i = 0; i < case_names.size() && !pairs.empty(); ++i) {
        std::vector<double> before, now, ratios;
        for (const case_pair& p : pairs) {
            before.push_back(p.default_ns.at(i));
            now.push_back(p.new_ns.at(i));
            ratios.push_back(now.back() / std::max(1.0, before.back()));
        }
        all.push_back({case_names[i], median_interval(before).median, median_interval(now).median,
                       median_interval(ratios)});
    }
    return all;
}

std::vector<case_pair> run_cases(const case_run& run, const std::function<void(double)>& tell) {
    const temporary_profile default_file(run.otherwise), new_file(run.values);
    std::vector<case_pair> pairs;
    for (unsigned i = 0; i < run.pairs; ++i) {
        case_pair p;
        // Each goes first as often: a machine that becomes slower must not look like a profile.
        const auto default_turn = [&] { p.default_ns = run_once(run.threads, run.otherwise, default_file); };
        const auto new_turn = [&] { p.new_ns = run_once(run.threads, run.values, new_file); };
        if (i % 2 == 0) {
            default_turn();
            new_turn();
        } else {
            new_turn();
            default_turn();
        }
        if (!p.default_ns.empty() && !p.new_ns.empty())
            pairs.push_back(p);
        tell((i + 1.0) / run.pairs);
    }
    return pairs;
}

void serve_cases(unsigned threads) {
    std::printf("cases");
    for (const double ns : measure_cases(threads))
        std::printf(" %.1f", ns);
    std::printf("\n");
}

}  // namespace bough::calibrate
