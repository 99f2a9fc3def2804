// Loops with pauses between them: what they cost the process, idle threads included, and how long each takes. The
// calling thread sleeps in the pauses, so that all other processor time is the runtime's.
// usage: BENCH_THREADS=P bench_gaps_<runtime> GAP_US UNITS NS_PER_UNIT LOOPS; prints one JSON object; exit code 1: an
// index was not visited exactly once.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include BENCH_HEADER

#include "common/clock.h"
#include "common/options.h"
#include "common/quantile.h"

namespace bench {
namespace {

using runtime = BENCH_RUNTIME;

struct plan {
    double gap_us;
    index units;
    double ns_per_unit;
    int loops;
};

double cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void work_for(ticks long_enough) {
    const ticks start = now();
    while (now() - start < long_enough) {
    }
}

// One call site, so that what a runtime learns of it holds for the next loop.
void loop(std::vector<unsigned>& visits, ticks each) {
    unsigned* const of = visits.data();
    if (each == 0)
        runtime::parallel_for(0, visits.size(), [=](index i) { ++of[i]; });
    else
        runtime::parallel_for(0, visits.size(), [=](index i) {
            ++of[i];
            work_for(each);
        });
}

bool measure(const plan& p) {
    std::vector<unsigned> visits(p.units);
    const auto each = static_cast<ticks>(p.ns_per_unit * 1e-9 / seconds_per_tick());
    const std::chrono::duration<double, std::micro> gap(p.gap_us);
    const int warm_up = p.loops / 4;
    for (int i = 0; i < warm_up; ++i) {
        loop(visits, each);
        std::this_thread::sleep_for(gap);
    }
    std::vector<double> took_us;
    const double cpu_before = cpu_seconds();
    for (int i = 0; i < p.loops; ++i) {
        const ticks start = now();
        loop(visits, each);
        took_us.push_back(static_cast<double>(now() - start) * seconds_per_tick() * 1e6);
        std::this_thread::sleep_for(gap);
    }
    const double cpu_us = 1e6 * (cpu_seconds() - cpu_before) / p.loops;
    std::printf(
        "{\"runtime\": \"%s\", \"version\": \"%s\", \"cpu_us\": %.3f, \"loop_us\": %.3f, \"p90_us\": %.3f}\n",
        runtime::name, runtime::version().c_str(), cpu_us, quantile(took_us, 0.5), quantile(took_us, 0.9));
    const auto wanted = static_cast<unsigned>(warm_up + p.loops);
    return std::all_of(visits.begin(), visits.end(), [=](unsigned n) { return n == wanted; });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    const bench::plan p{argc == 5 ? std::atof(argv[1]) : -1,
                        argc == 5 ? std::strtoul(argv[2], nullptr, 10) : 0,
                        argc == 5 ? std::atof(argv[3]) : 0, argc == 5 ? std::atoi(argv[4]) : 0};
    if (p.gap_us < 0 || p.units == 0 || p.loops < 4) {
        std::fprintf(stderr, "usage: %s GAP_US UNITS NS_PER_UNIT LOOPS (at least 4)\n", argv[0]);
        return 2;
    }
    bool is_right = false;
    char* none[] = {argv[0], nullptr};
    const unsigned threads = bench::read_options(1, none).threads;
    bench::runtime::enter(threads, [&] { is_right = bench::measure(p); });
    return is_right ? 0 : 1;
}
