#pragma once
// What bough counted during the timed runs of a case, as Google Benchmark's counters "event_<name>" per run: in
// binaries of bough, under BOUGH_STATS=1. Elsewhere the empty twin.

#include <benchmark/benchmark.h>

#if defined(BENCH_COUNTS_EVENTS)
#include <string>

#include <bough/statistics.h>

namespace bench {

class counted_events {
public:
    counted_events() {
        if (bough::counts_events())
            before_ = bough::statistics_now().total;
    }

    void report(benchmark::State& state) const {
        if (!bough::counts_events())
            return;
        const bough::counts after = bough::statistics_now().total;
        const auto runs = static_cast<double>(state.iterations());
        for (std::size_t i = 0; i < bough::event_count; ++i) {
            const auto e = static_cast<bough::event>(i);
            if (!bough::is_counted(e))
                continue;
            state.counters[std::string("event_") + bough::name_of(e)] =
                static_cast<double>(after[e] - before_[e]) / runs;
        }
        state.counters["event_working_ns"] = (after.working_ns - before_.working_ns) / runs;
        state.counters["event_searching_ns"] = (after.searching_ns - before_.searching_ns) / runs;
        state.counters["event_sleeping_ns"] = (after.sleeping_ns - before_.sleeping_ns) / runs;
    }

private:
    bough::counts before_{};
};
using event_counts = counted_events;

}  // namespace bench
#else
namespace bench {

struct no_counted_events {
    void report(benchmark::State&) const {}
};
using event_counts = no_counted_events;

}  // namespace bench
#endif
