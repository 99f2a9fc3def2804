// Three small cases that feel the profile: short even loops (time span), uneven ones (when stealing begins), and
// loops after a pause in which idle threads may go to sleep (spin time).

#include <atomic>
#include <chrono>

#include "bough/bough.h"
#include "measure.h"

namespace bough::calibrate {
namespace {

using steady = std::chrono::steady_clock;

constexpr std::size_t loops_per_case = 300;
constexpr std::size_t warm_up_loops = 30;
constexpr std::chrono::milliseconds longest_case{200};  // on a crowded machine

std::atomic<std::uint64_t> sink{0};

// 64 dependent multiplications with an addition take 4 to 5 cycles each: some 100 ns on processors of this decade.
constexpr unsigned steps_of_100_ns = 64;

void compute(unsigned steps) {
    std::uint64_t x = steps;
    for (unsigned i = 0; i < steps; ++i)
        x = x * 6364136223846793005U + 1442695040888963407U;  // Knuth's, TAOCP 2, 3.3.4
    if (x == 0)                                               // not known to the compiler
        sink.fetch_add(x + 1, std::memory_order_relaxed);
}

// Some 6 us for each thread: a few time spans long, so that loops neither hide it nor consist of it.
constexpr unsigned iterations_per_thread = 64;
// Longer than the default's 20 us of spinning, shorter than the 50 us that a slow wake-up makes of it.
constexpr unsigned pause_steps = 300 * steps_of_100_ns;

void short_loop(unsigned iterations) {
    parallel_for(0U, iterations, [](unsigned) { compute(steps_of_100_ns); });
}

// The first quarter costs four times as much as the rest: the thread that gets it must be helped.
void uneven_loop(unsigned iterations) {
    parallel_for(0U, iterations,
                 [=](unsigned i) { compute(i < iterations / 4 ? 4 * steps_of_100_ns : steps_of_100_ns); });
}

template <typename Pause, typename Loop>
double median_ns(Pause pause, Loop loop) {
    std::vector<double> times;
    const auto end = steady::now() + longest_case;
    for (std::size_t i = 0; i < warm_up_loops + loops_per_case; ++i) {
        pause();
        const auto start = steady::now();
        loop();
        const auto now = steady::now();
        if (i >= warm_up_loops || now > end)
            times.push_back(std::chrono::duration<double, std::nano>(now - start).count());
        if (now > end)
            break;
    }
    return summarize(times).p50;
}

}  // namespace

std::vector<double> measure_cases(unsigned threads) {
    const unsigned iterations = iterations_per_thread * threads;
    const auto no_pause = [] {};
    return {median_ns(no_pause, [=] { short_loop(iterations); }),
            median_ns(no_pause, [=] { uneven_loop(iterations); }),
            median_ns([] { compute(pause_steps); }, [=] { short_loop(iterations); })};
}

}  // namespace bough::calibrate
