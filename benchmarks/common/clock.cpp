#include "common/clock.h"

namespace bench {
namespace {

double measure_rate() {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    const ticks first = now();
    auto end = begin;
    while (end - begin < std::chrono::milliseconds(20))
        end = clock::now();
    const ticks last = now();
    return std::chrono::duration<double>(end - begin).count() / static_cast<double>(last - first);
}

}  // namespace

double seconds_per_tick() {
    static const double rate = measure_rate();
    return rate;
}

}  // namespace bench
