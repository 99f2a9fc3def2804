#pragma once
// Everything that one calibration measured, and what was chosen from it.

#include <optional>
#include <string>
#include <vector>

#include "agreement.h"
#include "machine/clock.h"
#include "measure.h"
#include "profile/profile.h"
#include "text.h"

namespace bough::calibrate {

struct distribution_result {
    std::vector<team_result> teams;
    std::string problem;  // why the measuring process did not finish; empty when it did
};

constexpr unsigned tried_fan_outs[] = {2, 3, 4};

// The largest team's median distribution time with one fan-out.
struct fan_out_trial {
    unsigned fan_out;
    double median_ns;
};

struct results {
    unsigned cpus = 1;  // usable ones
    machine::clock_info clock{};
    machine::synchrony synchrony{true, 0, 0, 0};
    double stamp_ns = 0;
    std::vector<handoff_result> handoff;
    std::optional<wakeup_result> wakeup;
    std::optional<summary> steal;
    distribution_result tree;
    distribution_result stealing;
    std::vector<fan_out_trial> fan_outs;
};

constexpr std::size_t least_calls = 100;  // below this a 99th percentile is the maximum

// One set of results from those of the rounds, by what they agree on (agreement.h). What only the first holds stays.
// Pure.
results merge(const std::vector<results>& rounds);

struct choice {
    profile values;
    std::vector<std::string> reasons;  // one line per value
};

// Pure. What was not measured keeps its default. Methods: README.md.
choice choose(const results& r);

// The hand-off that stands for this machine; null when none was measured.
const handoff_result* typical_handoff(const std::vector<handoff_result>& classes);

// A line on what lies behind such differences, as far as the two profiles tell. Pure.
std::string why_they_differ(const profile& before, const profile& now);

// One small case under the defaults and under the new profile.
struct compared_case {
    std::string name;
    double default_ns = 0;
    double new_ns = 0;
    interval ratio;  // new by default, of pairs of runs side by side
};

// Times of all cases, measured side by side.
struct case_pair {
    std::vector<double> default_ns;
    std::vector<double> new_ns;
};

// By the pairs' ratios, so that what slows both sides of a pair does not count. Pure.
std::vector<compared_case> compare_cases(const std::vector<case_pair>& pairs);

// A line for each value in which two profiles differ by more than 20 %. Pure.
std::vector<std::string> disagreements(const profile& before, const profile& now);

// ---- running the distribution measure in a process of its own (run_distribution.cpp)

struct distribution_run {
    distribution_plan plan;
    std::string distribute;  // value of BOUGH_DISTRIBUTE: tree or steal
    std::string gate;        // value of BOUGH_GATE
    profile values;          // what that process is tuned by
};

// `tell` hears the share that is done, 0 to 1.
distribution_result run_distribution(const distribution_run& run, const std::function<void(double)>& tell);

// The other side: what the hidden option --measure-distribution does in that process. Writes lines to stdout.
void serve_distribution(const distribution_plan& plan);

// ---- running the cases (run_cases.cpp)

struct case_run {
    unsigned threads;
    unsigned pairs;
    profile otherwise;  // the defaults
    profile values;     // the new profile
};

// Pairs of which a process failed are left out.
std::vector<case_pair> run_cases(const case_run& run, const std::function<void(double)>& tell);

// What the hidden option --measure-cases does.
void serve_cases(unsigned threads);

// ---- output (report.cpp, results_json.cpp, plot.cpp)

// What was measured; with the histograms only if `verbose`.
std::string report(const results& r, bool verbose);
// Default, measured and chosen side by side, each value with its spread.
std::string values_text(const profile& chosen, const profile& otherwise);
std::string cases_text(const std::vector<compared_case>& cases);
// All of one run, for programs.
struct outcome {
    profile_file chosen;
    std::vector<compared_case> cases;
    std::vector<std::string> doubts;
    bool written;
};
std::string results_json(const results& r, const outcome& o);
// How to return to the defaults, if the profile was written to `path` and a case is slower with it; else empty.
std::string advice_text(const outcome& found, const std::string& path);

// Draws the results to a PNG file by python3 and matplotlib. Throws std::runtime_error that says what is missing.
void plot(const std::string& json, const std::string& png);

}  // namespace bough::calibrate
