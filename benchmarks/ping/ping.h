#pragma once
// One cache line to another core and back. Runs beside `raw` only: no runtime is involved.

#include <atomic>
#include <cstdint>
#include <thread>

#include "common/measure.h"
#include "common/options.h"
#include "common/spin.h"

namespace bench {

struct ping_board {
    alignas(64) static inline std::atomic<std::int64_t> line{0};
};

// Answers every odd value by the next even one; ends at -1.
inline void answer_pings() {
    auto& line = ping_board::line;
    for (std::int64_t expected = 1;; expected += 2) {
        std::int64_t value = 0;
        spin_until([&] {
            value = line.load(std::memory_order_acquire);
            return value == expected || value == -1;
        });
        if (value == -1)
            return;
        line.store(value + 1, std::memory_order_release);
    }
}

inline void measure_ping(benchmark::State& state) {
    auto& line = ping_board::line;
    line.store(0);
    std::int64_t value = 0;
    const auto ping = [&] {
        line.store(value + 1, std::memory_order_release);
        value += 2;
        spin_until([&] { return line.load(std::memory_order_acquire) == value; });
    };
    std::jthread partner(answer_pings);
    for (int i = 0; i < 5000; ++i)  // the kernel may have to move the partner to another CPU first
        ping();
    for (auto _ : state)
        ping();
    line.store(-1, std::memory_order_release);
}

inline void register_ping(const options&) {
    benchmark::RegisterBenchmark("ping/line/2", measure_ping)->UseRealTime();
}

}  // namespace bench
