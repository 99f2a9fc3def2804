#pragma once
// The first loop of a process, and the second and the hundredth. Means something only as the one case of a process:
// the runner starts a new process for each value.

#include <chrono>
#include <string>
#include <vector>

#include "break_even/break_even.h"
#include "common/measure.h"
#include "common/options.h"
#include "tiny/tiny.h"

namespace bench {

constexpr unsigned first_calls = 100;

template <class Workload>
void measure_first_call(benchmark::State& state, Workload& workload) {
    using clock = std::chrono::steady_clock;
    std::vector<double> seconds(first_calls);
    workload.reset();
    for (auto _ : state) {
        for (double& s : seconds) {
            const auto begin = clock::now();
            workload.run();
            s = std::chrono::duration<double>(clock::now() - begin).count();
        }
        state.SetIterationTime(seconds.front());
    }
    correct(state, workload);
    state.counters["second_ns"] = seconds[1] * 1e9;
    state.counters["hundredth_ns"] = seconds[first_calls - 1] * 1e9;
}

template <class Workload>
void register_first_call_of(const std::string& name, const lazy<Workload>& workload) {
    benchmark::RegisterBenchmark(
        name.c_str(), [workload](benchmark::State& state) { measure_first_call(state, workload.get()); })
        ->Iterations(1)
        ->UseManualTime();
}

// A loop that nobody need help with, and one of over 100 us.
template <class Runtime>
void register_first_call(const options&) {
    constexpr index small = 128, large = 2048;
    constexpr unsigned steps = chain_lengths[3].steps;
    register_first_call_of("first_call/axpy/" + std::to_string(small),
                           lazy<axpy<Runtime>>([] { return axpy<Runtime>(small); }));
    register_first_call_of("first_call/64ns/" + std::to_string(large),
                           lazy<chains<Runtime>>([] { return chains<Runtime>(large, steps); }));
}

}  // namespace bench
