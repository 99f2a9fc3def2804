// Do the counters of two cores agree? See check_synchronous() in clock.h.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include "bough/config.h"
#include "machine/affinity.h"
#include "machine/clock.h"

namespace bough::machine {
namespace {

struct alignas(2 * cache_line) ball {
    std::atomic<std::uint64_t> turn{0};  // even: the server's, odd: the answerer's
    ticks stamp = 0;                     // owned by whoever's turn it is
};

struct steps {
    double least = std::numeric_limits<double>::max();  // in ticks; negative: time ran backwards
    double least_forward = std::numeric_limits<double>::max();
};

constexpr std::uint64_t no_more = ~std::uint64_t{0};
constexpr std::chrono::milliseconds longest_rally{500};  // on a crowded machine a turn can take a time slice

// One side of the rally: waits for its turns, compares the stamp that came with its own clock, stamps anew. Either side
// may end it.
void play(ball& b, std::uint64_t first_turn, std::uint64_t end, steps& seen) {
    const auto give_up = std::chrono::steady_clock::now() + longest_rally;
    for (std::uint64_t turn = first_turn; turn < end; turn += 2) {
        std::uint64_t whose = 0;
        // acquire: pairs with the release below, of the other side; its stamp is visible
        while ((whose = b.turn.load(std::memory_order_acquire)) != turn)
            if (whose == no_more)
                return;
        const ticks mine = now_serialized();
        if (turn > 0) {
            const auto step = static_cast<double>(static_cast<std::int64_t>(mine - b.stamp));
            seen.least = std::min(seen.least, step);
            if (step > 0)
                seen.least_forward = std::min(seen.least_forward, step);
        }
        const bool late = turn % 64 < 2 && std::chrono::steady_clock::now() > give_up;
        b.stamp = now_serialized();
        // release: pairs with the acquire above, of the other side
        b.turn.store(late ? no_more : turn + 1, std::memory_order_release);
        if (late)
            return;
    }
}

// The two sides are bound before the rally: an unbound one would only be measured against itself.
bool rally(unsigned cpu_a, unsigned cpu_b, unsigned rounds, steps& seen) {
    ball b;
    steps theirs;
    std::atomic<int> bound{0};  // 0: not yet, 1: the answerer is bound, 2: it could not be
    const std::uint64_t end = 2ULL * rounds;
    if (!bind_this_thread(cpu_a))
        return false;
    std::thread answerer([&] {
        const bool ok = bind_this_thread(cpu_b);
        bound.store(ok ? 1 : 2, std::memory_order_release);  // release: pairs with the acquire below
        if (ok)
            play(b, 1, end, theirs);
    });
    int answer = 0;
    // acquire: pairs with the answerer's release; only the flag itself is needed
    while ((answer = bound.load(std::memory_order_acquire)) == 0)
        std::this_thread::yield();
    if (answer == 1)
        play(b, 0, end, seen);
    answerer.join();
    seen.least = std::min(seen.least, theirs.least);
    seen.least_forward = std::min(seen.least_forward, theirs.least_forward);
    return answer == 1;
}

}  // namespace

synchrony check_synchronous(const std::vector<unsigned>& os_cpus, unsigned rounds_per_pair) {
    synchrony result{true, 0, 0, 0};
    if (os_cpus.size() < 2)
        return result;
    const keep_affinity here;
    steps all;
    const auto compare = [&](unsigned a, unsigned b) {
        steps seen;
        if (!rally(a, b, rounds_per_pair, seen))
            return;
        ++result.pairs;
        all.least = std::min(all.least, seen.least);
        all.least_forward = std::min(all.least_forward, seen.least_forward);
    };
    for (std::size_t i = 1; i < os_cpus.size(); ++i) {
        compare(os_cpus[0], os_cpus[i]);
        if (i > 1)
            compare(os_cpus[i - 1], os_cpus[i]);
    }
    if (result.pairs == 0)
        return result;
    const double rate = clock().ticks_per_ns;
    result.backward_ns = all.least < 0 ? -all.least / rate : 0;
    const bool any = all.least_forward < std::numeric_limits<double>::max();
    result.least_handoff_ns = any ? all.least_forward / rate : 0;
    result.synchronous = all.least >= 0;
    return result;
}

}  // namespace bough::machine
