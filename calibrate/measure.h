#pragma once
// The measures of bough-calibrate, one file each: measure_*.cpp. Definitions and units: README.md. They are called
// one after the other from one thread, on a machine that should be quiet, and again in each round. On a machine that
// is not quiet, each ends with fewer samples after patience(quick); where threads cannot be bound, the kernel places
// them.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "machine/topology.h"
#include "stats.h"

namespace bough::calibrate {

// Odd and more than three, so that a majority still agrees when one round is disturbed. More rounds would leave a
// round of a quick run fewer than 1000 calls, and so its 99th percentile fewer than ten samples above it.
constexpr unsigned round_count = 5;

constexpr std::chrono::milliseconds patience(bool quick) {
    return std::chrono::milliseconds(quick ? 2000 : 20'000) / round_count;
}

// ---- what a stamp costs (measure_handoff.cpp)

// Median time between two serialised stamps with nothing in between: what every difference of stamps holds too much.
double stamp_cost_ns();

// ---- hand-off

// Round trip of one line between two CPUs, per distance class of the topology: nearest pairs first.
struct handoff_result {
    unsigned distance;  // as machine::distance
    unsigned from_cpu;  // OS numbers
    unsigned to_cpu;
    summary round_trip;
};
std::vector<handoff_result> measure_handoff(const machine::topology& t, bool quick);

// ---- wake-up

struct wakeup_result {
    summary until_awake;  // from before the wake call until the sleeper reads its clock
    summary waker;        // how long the call keeps the waker
};
// Between two CPUs where there are two, else on one.
wakeup_result measure_wakeup(const machine::topology& t, bool quick);

// ---- steal

// Half of a published descriptor taken from another CPU, the thief's own publication included.
summary measure_steal(const machine::topology& t, bool quick);

// ---- distribution

struct team_result {
    unsigned team = 0;
    summary time;
    histogram bins;
    std::string note;  // why fewer calls were made than asked for; empty when none
};

// In a process of its own, whose environment says how the runtime distributes (run_distribution.cpp).
struct distribution_plan {
    unsigned first_team;
    unsigned last_team;
    std::size_t calls;
    double seconds_per_team;  // measuring stops after this long
};

using team_done = std::function<void(const team_result&)>;
using calls_done = std::function<void(unsigned team, std::size_t calls)>;

// Runs parallel_for of one iteration per thread in this process, for each team size.
void measure_distribution(const distribution_plan& plan, const calls_done& tell, const team_done& take);

// ---- what a profile changes

// Median times in ns of a loop, one for each small case (measure_cases.cpp), in this process.
std::vector<double> measure_cases(unsigned threads);

}  // namespace bough::calibrate
