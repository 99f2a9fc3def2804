#pragma once
// Runs a workload under Google Benchmark: checks its answer, warms up, measures, checks again.
// A workload has reset() (spoils the result), run() and first_wrong() (index of a wrong result, or `none`).

#include <chrono>
#include <cstddef>
#include <string>

#include <benchmark/benchmark.h>

#include "common/counted.h"
#include "common/lazy.h"

namespace bench {

constexpr std::size_t none = static_cast<std::size_t>(-1);

// Where the two first differ, or `none`.
template <class Numbers>
std::size_t first_difference(const Numbers& found, const Numbers& expected) {
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != expected[i])
            return i;
    return none;
}

// Marks the case as wrong; the binary then ends with exit code 1.
void fail(benchmark::State& state, const std::string& message);
bool any_failure();

template <class Workload>
bool correct(benchmark::State& state, const Workload& workload) {
    const std::size_t wrong = workload.first_wrong();
    if (wrong != none)
        fail(state, "wrong result at index " + std::to_string(wrong));
    return wrong == none;
}

// Workers are awake and caches warm afterwards; bounded by time, as a loop may take nanoseconds or milliseconds.
template <class Workload>
void warm_up(Workload& workload) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(300);
    do
        workload.run();
    while (std::chrono::steady_clock::now() < end);
}

enum class warming { yes, no };

template <class Workload>
void measure(benchmark::State& state, Workload& workload, warming warm = warming::yes) {
    workload.reset();
    workload.run();
    if (!correct(state, workload))
        return;
    workload.reset();
    if (warm == warming::yes)
        warm_up(workload);
    const event_counts counts;
    for (auto _ : state) {
        workload.run();
        benchmark::ClobberMemory();
    }
    counts.report(state);
    correct(state, workload);
}

template <class Workload>
void register_workload(const std::string& name, const lazy<Workload>& workload,
                       benchmark::TimeUnit unit = benchmark::kNanosecond) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [workload](benchmark::State& state) { measure(state, workload.get()); })
        ->UseRealTime()
        ->Unit(unit);
}

// A workload of milliseconds: one repetition, however many were asked for, and the run that is checked first is all
// that warms it up.
template <class Workload>
void register_long_workload(const std::string& name, const lazy<Workload>& workload) {
    benchmark::RegisterBenchmark(
        name.c_str(), [workload](benchmark::State& state) { measure(state, workload.get(), warming::no); })
        ->UseRealTime()
        ->Repetitions(1)
        ->Unit(benchmark::kMicrosecond);
}

}  // namespace bench
