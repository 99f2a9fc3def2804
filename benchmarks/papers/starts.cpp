// When each task starts: a loop of one chunk per thread, or a fork tree of one leaf per thread, of which each body
// stamps the clock and then waits, for at most 50 ms, until all have started. Prints one JSON object with the times of
// every run, counted from the call and sorted.
// usage: BENCH_THREADS=P bench_starts_<runtime> loop|tree RUNS; exit code 1: a body did not run exactly once.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include BENCH_HEADER

#include "common/clock.h"
#include "common/fork_join.h"
#include "common/options.h"
#include "common/spin.h"

namespace bench {
namespace {

using runtime = BENCH_RUNTIME;

constexpr double patience_s = 0.05;
constexpr int warm_up = 20;

struct alignas(64) stamp {
    std::atomic<unsigned> runs{0};
    ticks at = 0;
};
stamp stamps[max_threads];
alignas(64) std::atomic<unsigned> started{0};
alignas(64) unsigned threads = 1;
ticks patience = 0;
std::atomic<bool> gave_up{false};

void body(index i) {
    const ticks here = now();
    stamps[i].at = here;
    stamps[i].runs.fetch_add(1, std::memory_order_relaxed);
    started.fetch_add(1, std::memory_order_acq_rel);
    spin_until([=] {
        if (started.load(std::memory_order_acquire) >= threads)
            return true;
        if (now() - here < patience)
            return false;
        gave_up.store(true, std::memory_order_relaxed);
        return true;
    });
}

void call(bool is_loop) {
    if (is_loop)
        runtime::parallel_for(0, threads, [](index i) { body(i); });
    else
        fork_each<runtime>(0, threads, [](index i) { body(i); });
}

// Times from the call, sorted; empty when a body did not run exactly once.
std::vector<double> starts_ns(bool is_loop) {
    started.store(0, std::memory_order_relaxed);
    for (unsigned i = 0; i < threads; ++i)
        stamps[i].runs.store(0, std::memory_order_relaxed);
    const ticks begin = now();
    call(is_loop);
    std::vector<double> times;
    for (unsigned i = 0; i < threads; ++i) {
        if (stamps[i].runs.load(std::memory_order_relaxed) != 1)
            return {};
        times.push_back(static_cast<double>(static_cast<std::int64_t>(stamps[i].at - begin)) *
                        seconds_per_tick() * 1e9);
    }
    std::sort(times.begin(), times.end());
    return times;
}

bool measure(bool is_loop, int runs) {
    patience = static_cast<ticks>(patience_s / seconds_per_tick());
    for (int i = 0; i < warm_up; ++i)
        starts_ns(is_loop);
    std::printf(
        "{\"runtime\": \"%s\", \"version\": \"%s\", \"threads\": %u, \"shape\": \"%s\", \"starts_ns\": [",
        runtime::name, runtime::version().c_str(), threads, is_loop ? "loop" : "tree");
    int alone = 0;
    for (int i = 0; i < runs; ++i) {
        gave_up.store(false, std::memory_order_relaxed);
        const std::vector<double> times = starts_ns(is_loop);
        if (times.empty())
            return false;
        alone += gave_up.load(std::memory_order_relaxed);
        std::printf("%s[", i ? ", " : "");
        for (std::size_t k = 0; k < times.size(); ++k)
            std::printf("%s%.1f", k ? ", " : "", times[k]);
        std::printf("]");
    }
    std::printf("], \"not_all_at_once\": %d}\n", alone);
    return true;
}

int run(int argc, char** argv) {
    const bool is_loop = argc == 3 && std::strcmp(argv[1], "loop") == 0;
    const int runs = argc == 3 ? std::atoi(argv[2]) : 0;
    if (runs < 1 || (!is_loop && std::strcmp(argv[1], "tree") != 0)) {
        std::fprintf(stderr, "usage: BENCH_THREADS=P %s loop|tree RUNS\n", argv[0]);
        return 2;
    }
    char* none[] = {argv[0], nullptr};
    threads = read_options(1, none).threads;
    bool is_right = false;
    runtime::enter(threads, [&] { is_right = measure(is_loop, runs); });
    if (!is_right)
        std::fprintf(stderr, "%s: a body did not run exactly once\n", argv[1]);
    return is_right ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    return bench::run(argc, argv);
}
