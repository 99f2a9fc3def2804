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
    std::atomic<std::uint64_t> ball{0};  // odd: served, even: answered
};

constexpr std::uint64_t trips_per_sample = 100;  // makes the cost of a stamp vanish
constexpr std::uint64_t no_more = ~std::uint64_t{0};

void answer(line& l) {
    std::uint64_t awaited = 1;
    while (true) {
        // acquire: pairs with the server's release
        const std::uint64_t ball = l.ball.load(std::memory_order_acquire);
        if (ball == no_more)
            return;
        if (ball != awaited) {
            machine::pause();
            continue;
        }
        l.ball.store(awaited + 1, std::memory_order_release);  // release: pairs with the server's acquire
        awaited += 2;
    }
}

std::vector<double> serve(line& l, std::size_t samples, std::chrono::milliseconds at_most) {
    std::vector<double> times;
    std::uint64_t i = 0;
    const auto end = std::chrono::steady_clock::now() + at_most;
    while (times.size() < samples && std::chrono::steady_clock::now() < end) {
        const machine::ticks start = machine::now_serialized();
        for (std::uint64_t trip = 0; trip < trips_per_sample; ++trip, ++i) {
            l.ball.store(2 * i + 1, std::memory_order_release);  // release: pairs with the answerer's acquire
            // acquire: pairs with the answerer's release
            while (l.ball.load(std::memory_order_acquire) != 2 * i + 2)
                machine::pause();
        }
        times.push_back(machine::to_ns(machine::now_serialized() - start) / trips_per_sample);
    }
    l.ball.store(no_more, std::memory_order_release);  // release: pairs with the answerer's acquire
    return times;
}

summary round_trip(unsigned from, unsigned to, bool quick) {
    line l;
    const machine::keep_affinity here;
    // Started before this thread is bound: it would inherit the one CPU, and keep it where binding is refused.
    std::thread answerer([&] {
        machine::bind_this_thread(to);
        answer(l);
    });
    machine::bind_this_thread(from);
    std::vector<double> times = serve(l, (quick ? 500 : 5000) / round_count, patience(quick));
    answerer.join();
    return summarize(times);
}

}  // namespace

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
    for (unsigned d = 0; d <= 3; ++d) {
        // Of the CPUs at this distance from the first one the middle one stands for its class.
        std::vector<machine::cpu> class_of;
        std::copy_if(t.cpus.begin() + 1, t.cpus.end(), std::back_inserter(class_of),
                     [&](const machine::cpu& c) { return machine::distance(t.cpus[0], c) == d; });
        if (class_of.empty())
            continue;
        const unsigned from = t.cpus[0].os_index;
        const unsigned to = class_of[class_of.size() / 2].os_index;
        results.push_back({d, from, to, round_trip(from, to, quick)});
    }
    return results;
}

}  // namespace bough::calibrate
