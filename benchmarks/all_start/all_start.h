#pragma once
// Start latency: a loop of P indices on P threads, each body stamps the clock and waits until all have started.
// Time = last start minus call. The mean is what Google Benchmark reports; the counters hold the median (p50_ns) and
// the 99th percentile (p99_ns), which a few lost time slices do not move, and of the same process what the hardware
// allows (raw_ns).

#include <algorithm>
#include <atomic>
#include <string>
#include <type_traits>
#include <vector>

#include "common/clock.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/quantile.h"
#include "common/runtime.h"
#include "common/spin.h"
#include "runtimes/raw.h"

namespace bench {

// Static, so that the body captures nothing: a start is not delayed by a cache miss on the body itself.
struct start_board {
    struct alignas(64) stamp {
        ticks at;
    };
    static inline stamp stamps[max_threads];
    alignas(64) static inline std::atomic<unsigned> started{0};
    alignas(64) static inline unsigned expected = 0;
};

// Ticks from the call to the last start; 0 when not every index ran exactly once.
template <class Runtime>
ticks start_all(unsigned threads) {
    start_board::started.store(0, std::memory_order_relaxed);
    for (unsigned i = 0; i < threads; ++i)
        start_board::stamps[i].at = 0;
    const ticks call = now();
    Runtime::parallel_for(0, threads, [](index i) {
        start_board::stamps[i].at = now();
        start_board::started.fetch_add(1, std::memory_order_acq_rel);
        spin_until(
            [] { return start_board::started.load(std::memory_order_acquire) >= start_board::expected; });
    });
    ticks first = call, last = call;
    for (unsigned i = 0; i < threads; ++i) {
        first = std::min(first, start_board::stamps[i].at);
        last = std::max(last, start_board::stamps[i].at);
    }
    const bool all = first == call && start_board::started.load(std::memory_order_relaxed) == threads;
    return all ? last - call : 0;
}

inline double percentile_ns(std::vector<ticks>& samples, double share) {
    if (samples.empty())
        return 0;
    return static_cast<double>(quantile(samples, share)) * seconds_per_tick() * 1e9;
}

constexpr int all_start_warm_up = 50;

// The median of a hand-written start, before the runtime has made threads of its own, which would be in the way. 0
// where it would mean nothing: with more threads than CPUs, and beside itself.
template <class Runtime>
double raw_start_ns(unsigned threads) {
    if (beyond_cpus(threads) || std::is_same_v<Runtime, raw>)
        return 0;
    std::vector<ticks> samples(2000);  // less than a millisecond
    raw::enter(threads, [&] {
        for (int i = 0; i < all_start_warm_up; ++i)
            start_all<raw>(threads);
        for (ticks& sample : samples)
            sample = start_all<raw>(threads);
    });
    return percentile_ns(samples, 0.5);
}

template <class Runtime>
void measure_all_start(benchmark::State& state, unsigned threads) {
    start_board::expected = threads;
    static const double raw_ns = raw_start_ns<Runtime>(threads);
    std::vector<ticks> samples;
    samples.reserve(static_cast<std::size_t>(state.max_iterations));
    for (int i = 0; i < all_start_warm_up; ++i)
        start_all<Runtime>(threads);
    for (auto _ : state) {
        const ticks t = start_all<Runtime>(threads);
        if (t == 0) {
            fail(state, "not every index ran exactly once");
            return;
        }
        samples.push_back(t);
        state.SetIterationTime(static_cast<double>(t) * seconds_per_tick());
    }
    state.counters["p50_ns"] = percentile_ns(samples, 0.5);
    state.counters["p99_ns"] = percentile_ns(samples, 0.99);
    state.counters["raw_ns"] = raw_ns;
}

template <class Runtime>
void register_all_start(const options& o) {
    const std::string name = "all_start/hot/" + std::to_string(o.threads);
    benchmark::RegisterBenchmark(name.c_str(), measure_all_start<Runtime>, o.threads)->UseManualTime();
}

}  // namespace bench
