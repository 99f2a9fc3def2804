// Hand-off: a store into a spinning thread's line, until that thread has answered in the same line.

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "bough/config.h"
#include "machine/affinity.h"
#include "machine/clock.h"
#include "machine/pause.h"
#include "measure.h"

namespace bough::calibrate {
namespace {

struct alignas(2 * cache_line) line {
    std::atomic<std::uint64_t> ball{0}; // odd: served, even: answered
};

constexpr std::uint64_t trips_per_sample = 100; // makes the cost of a stamp vanish

void answer(line& l, std::uint64_t trips) {
    for (std::uint64_t i = 0; i < trips; ++i) {
        // acquire: pairs with the server's release
        while (l.ball.load(std::memory_order_acquire) != 2 * i + 1)
            machine::pause();
        l.ball.store(2 * i + 2, std::memory_order_release); // release: pairs with the server's acquire
    }
}

std::vector<double> serve(line& l, std::size_t samples) {
    std::vector<double> times;
    std::uint64_t i = 0;
    for (std::size_t s = 0; s < samples; ++s) {
        const machine::ticks start = machine::now_serialized();
        for (std::uint64_t trip = 0; trip < trips_per_sample; ++trip, ++i) {
            l.ball.store(2 * i + 1, std::memory_order_release); // release: pairs with the answerer's acquire
            // acquire: pairs with the answerer's release
            while (l.ball.load(std::memory_order_acquire) != 2 * i + 2)
                machine::pause();
        }
        times.push_back(machine::to_ns(machine::now_serialized() - start) / trips_per_sample);
    }
    return times;
}

summary round_trip(unsigned from, unsigned to, std::size_t samples) {
    line l;
    const machine::keep_affinity here;
    machine::bind_this_thread(from);
    std::thread answerer([&] {
        machine::bind_this_thread(to);
        answer(l, samples * trips_per_sample);
    });
    std::vector<double> times = serve(l, samples);
    answerer.join();
    return summarize(times);
}

} // namespace

double stamp_cost_ns() {
    std::vector<double> times;
    for (int i = 0; i < 10'000; ++i) {
        const machine::ticks start = machine::now_serialized();
        times.push_back(machine::to_ns(machine::now_serialized() - start));
    }
    return summarize(times).p50;
}

std::vector<handoff_result> measure_handoff(const machine::topology& t, bool quick) {
    std::vector<handoff_result> results;
    const std::size_t samples = quick ? 500 : 5000;
    for (unsigned d = 0; d <= 3; ++d) {
        // Of the CPUs at this distance from the first one the middle one stands for its class.
        std::vector<machine::cpu> class_of;
        std::copy_if(t.cpus.begin() + 1, t.cpus.end(), std::back_inserter(class_of),
                     [&](const machine::cpu& c) { return machine::distance(t.cpus[0], c) == d; });
        if (class_of.empty())
            continue;
        const unsigned from = t.cpus[0].os_index;
        const unsigned to = class_of[class_of.size() / 2].os_index;
        results.push_back({d, from, to, round_trip(from, to, samples)});
    }
    return results;
}

} // namespace bough::calibrate
