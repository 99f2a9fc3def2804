// bench_grain: how many iterations the adaptive grain holds, for bodies of about 2 ns and 2 us. The grain is what the
// body sees: the median length of the ranges that it is called with after the first tenth of the loop.
// Fails when the two do not differ by a factor of 100 or more, or when an iteration was lost.

#include <benchmark/benchmark.h>
#include <bough/bough.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <vector>

namespace {

using range = bough::blocked_range<std::uint32_t>;

// Some ns a step, less where iterations overlap; the barrier keeps the compiler from making one step of eight.
std::uint32_t work(std::uint32_t seed, int steps) {
    for (int i = 0; i < steps; ++i) {
        seed = seed * 1664525u + 1013904223u;
        benchmark::DoNotOptimize(seed);
    }
    return seed;
}

// ns of one iteration, run serially: what the names of the cases promise.
double iteration_ns(std::uint32_t n, int steps) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t i = 0; i < n; ++i)
        benchmark::DoNotOptimize(work(i, steps));
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / n;
}

double median(std::vector<std::size_t>& lengths) {
    if (lengths.empty())
        return 0;
    std::nth_element(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2),
                     lengths.end());
    return static_cast<double>(lengths[lengths.size() / 2]);
}

// Runs loops of n iterations of `steps` each; returns the grain, or -1 when iterations were lost.
double grain_of(benchmark::State& state, std::uint32_t n, int steps) {
    std::mutex mutex;
    std::vector<std::size_t> lengths;
    std::uint64_t iterations = 0, expected = 0;
    for (auto _ : state) {
        bough::parallel_for(range(0, n), [&](const range& r) {
            for (std::uint32_t i = r.begin(); i != r.end(); ++i)
                benchmark::DoNotOptimize(work(i, steps));
            const std::lock_guard lock(mutex);
            iterations += r.size();
            if (r.begin() % (n / 2) > n / 20)
                lengths.push_back(r.size());
        });
        expected += n;
    }
    const double grain = iterations == expected ? median(lengths) : -1;
    state.counters["grain"] = grain;
    if (grain < 0)
        state.SkipWithError("iterations were lost");
    return grain;
}

constexpr int cheap_steps = 4, dear_steps = 640;
double cheap_grain = 0, dear_grain = 0;

void cheap(benchmark::State& state) {
    cheap_grain = grain_of(state, 4'000'000, cheap_steps);
}
void dear(benchmark::State& state) {
    dear_grain = grain_of(state, 4'000, dear_steps);
}

BENCHMARK(cheap)->Name("grain/2ns/4000000")->UseRealTime()->MinTime(0.2);
BENCHMARK(dear)->Name("grain/2us/4000")->UseRealTime()->MinTime(0.2);

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    if (cheap_grain <= 0 || dear_grain <= 0)
        return 1;
    std::printf("grain: %.0f iterations of %.1f ns, %.0f of %.1f ns, factor %.0f\n", cheap_grain,
                iteration_ns(4'000'000, cheap_steps), dear_grain, iteration_ns(4'000, dear_steps),
                cheap_grain / dear_grain);
    return cheap_grain >= 100 * dear_grain ? 0 : 1;
}
