#pragma once
// Everything that one calibration measured, and what was chosen from it.

#include <optional>
#include <string>
#include <vector>

#include "machine/clock.h"
#include "measure.h"
#include "profile/profile.h"

namespace bough::calibrate {

struct distribution_result {
    std::vector<team_result> teams;
    std::string problem;  // why the measuring process did not finish; empty when it did
};

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
    double handoff_at_end_ns = 0;  // typical hand-off after the last measure; 0: not measured
};

struct choice {
    profile values;
    std::vector<std::string> reasons;  // one line per value
};

// Pure. What was not measured keeps its default. Methods: README.md.
choice choose(const results& r);

// The hand-off cost that stands for this machine; 0 when none was measured.
double typical_handoff_ns(const std::vector<handoff_result>& classes);

// A line for each value in which two profiles differ by more than 20 %. Pure.
std::vector<std::string> disagreements(const profile& before, const profile& now);

// Empty when the hand-off cost was the same at the end as at the beginning, within 20 %; else a line. Pure.
std::string drift(const results& r);

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

// ---- output (report.cpp, results_json.cpp, plot.cpp)

std::string time_text(double ns);  // "812 ns", "1.24 us", "3.1 ms"
std::string report(const results& r);
std::string results_json(const results& r, const profile_file& chosen);

// Draws the results to a PNG file by python3 and matplotlib. Throws std::runtime_error that says what is missing.
void plot(const std::string& json, const std::string& png);

}  // namespace bough::calibrate
