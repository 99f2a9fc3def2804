#pragma once
// One cache line to another core and back. Runs beside `raw` only: no runtime is involved.

#include <atomic>
#include <cstdint>
#include <thread>

#include "common/measure.h"
#include "common/options.h"

namespace bench {

struct ping_board {
    alignas(64) static inline std::atomic<std::int64_t> line{0};
};

// Answers every odd value by the next even one; ends at -1.
inline void answer_pings() {
    for (std::int64_t expected = 1;;) {
        const std::int64_t value = ping_board::line.load(std::memory_order_acquire);
        if (value == -1)
            return;
        if (value == expected) {
            ping_board::line.store(value + 1, std::memory_order_release);
            expected += 2;
        }
    }
}

inline void measure_ping(benchmark::State& state) {
    ping_board::line.store(0);
    std::int64_t value = 0;
    {
        std::jthread partner(answer_pings);
        for (auto _ : state) {
            ping_board::line.store(value + 1, std::memory_order_release);
            value += 2;
            while (ping_board::line.load(std::memory_order_acquire) != value)
                ;
        }
        ping_board::line.store(-1, std::memory_order_release);
    }
}

inline void register_ping(const options&) {
    benchmark::RegisterBenchmark("ping/line/2", measure_ping)->UseRealTime();
}

} // namespace bench
