// Steal: a thief reads the published word of a loop whose lines the owner wrote last, takes the back half by
// compare-and-swap, copies the descriptor, and publishes its half in its own. The runtime does the same steps.

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "bough/config.h"
#include "machine/affinity.h"
#include "machine/clock.h"
#include "machine/pause.h"
#include "measure.h"

namespace bough::calibrate {
namespace {

// A word with first and last piece, and a line of what a thief must know of the loop.
struct descriptor {
    alignas(2 * cache_line) std::atomic<std::uint64_t> pieces{0};
    alignas(2 * cache_line) std::array<std::uint64_t, 8> loop{};
};

struct stage {
    descriptor owners;
    descriptor thiefs;
    alignas(2 * cache_line) std::atomic<std::uint64_t> turn{
        0};  // even: the owner prepares, odd: the thief steals
};

constexpr std::uint64_t pack(std::uint64_t first, std::uint64_t last) {
    return first << 32 | last;
}

constexpr std::uint64_t no_more = ~std::uint64_t{0};

void own(stage& s) {
    for (std::uint64_t i = 0;; ++i) {
        s.owners.loop.fill(i);
        s.owners.pieces.store(pack(i, i + 128), std::memory_order_relaxed);
        s.turn.store(2 * i + 1, std::memory_order_release);  // release: pairs with the thief's acquire
        // acquire: pairs with the thief's release
        while (s.turn.load(std::memory_order_acquire) == 2 * i + 1)
            machine::pause();
        if (s.turn.load(std::memory_order_relaxed) == no_more)
            return;
    }
}

void steal_half(stage& s) {
    std::uint64_t seen = s.owners.pieces.load(std::memory_order_relaxed);
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t middle = 0;
    do {
        first = seen >> 32;
        last = seen & 0xffffffff;
        middle = first + (last - first) / 2;
        // seq_cst as in the runtime, for the price; the owner is quiet, so nothing depends on the order
    } while (!s.owners.pieces.compare_exchange_weak(seen, pack(first, middle), std::memory_order_seq_cst));
    s.thiefs.loop = s.owners.loop;
    s.thiefs.pieces.exchange(pack(middle, last), std::memory_order_seq_cst);  // likewise
}

std::vector<double> steal(stage& s, std::uint64_t rounds, bool quick) {
    std::vector<double> times;
    const double overhead = stamp_cost_ns();
    const auto end = std::chrono::steady_clock::now() + patience(quick);
    for (std::uint64_t i = 0; i < rounds; ++i) {
        // acquire: pairs with the owner's release
        while (s.turn.load(std::memory_order_acquire) != 2 * i + 1)
            machine::pause();
        const machine::ticks start = machine::now_serialized();
        steal_half(s);
        times.push_back(std::max(0.0, machine::to_ns(machine::now_serialized() - start) - overhead));
        const bool last = i + 1 == rounds || (i % 64 == 0 && std::chrono::steady_clock::now() > end);
        s.turn.store(last ? no_more : 2 * i + 2,
                     std::memory_order_release);  // release: pairs with the owner's acquire
        if (last)
            break;
    }
    return times;
}

}  // namespace

summary measure_steal(const machine::topology& t, bool quick) {
    stage s;
    const machine::keep_affinity here;
    // Started before this thread is bound: it would inherit the one CPU, and keep it where binding is refused.
    std::thread owner([&] {
        machine::bind_this_thread(t.cpus[t.cpus.size() / 2].os_index);
        own(s);
    });
    machine::bind_this_thread(t.cpus.front().os_index);
    std::vector<double> times = steal(s, (quick ? 10'000 : 100'000) / round_count, quick);
    owner.join();
    return summarize(times);
}

}  // namespace bough::calibrate
