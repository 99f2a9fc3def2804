// Wake-up: from just before the futex call until the sleeper, back in user space, has read its clock.

#include <atomic>
#include <chrono>
#include <thread>

#include "bough/config.h"
#include "machine/affinity.h"
#include "machine/clock.h"
#include "machine/futex.h"
#include "measure.h"

namespace bough::calibrate {
namespace {

// Long enough for a sleeper to be off its CPU, and for that CPU to have gone idle.
constexpr std::chrono::microseconds until_asleep{100};

struct bed {
    alignas(2 * cache_line) std::atomic<std::uint32_t> word{0};  // the number of wake-ups so far
    alignas(2 * cache_line) std::atomic<std::uint32_t> ready{
        0};                    // the sleeper is about to sleep for the ready-th time
    machine::ticks woken = 0;  // the sleeper's until `ready` moves, then the waker's
};

constexpr std::uint32_t no_more = ~std::uint32_t{0};

void sleep_and_stamp(bed& b) {
    b.ready.store(1, std::memory_order_release);  // release: pairs with the waker's acquire
    for (std::uint32_t i = 0;; ++i) {
        while (b.word.load(std::memory_order_acquire) == i)  // acquire: pairs with the waker's release
            machine::futex_wait(b.word, i);
        if (b.word.load(std::memory_order_relaxed) == no_more)
            return;
        b.woken = machine::now_serialized();
        b.ready.store(i + 2,
                      std::memory_order_release);  // release: `woken` is visible to the waker's acquire
    }
}

void wait_for(const bed& b, std::uint32_t value) {
    while (b.ready.load(std::memory_order_acquire) < value)  // acquire: pairs with the sleeper's release
        std::this_thread::yield();
}

}  // namespace

wakeup_result measure_wakeup(const machine::topology& t, bool quick) {
    const std::uint32_t times = (quick ? 1000 : 10'000) / round_count;
    const double overhead = stamp_cost_ns();
    bed b;
    const machine::keep_affinity here;
    // Started before this thread is bound: it would inherit the one CPU, and keep it where binding is refused.
    std::thread sleeper([&] {
        machine::bind_this_thread(
            t.cpus[t.cpus.size() / 2].os_index);  // 1 of 2, 4 of 8: neither nearest nor farthest
        sleep_and_stamp(b);
    });
    machine::bind_this_thread(t.cpus.front().os_index);
    const auto end = std::chrono::steady_clock::now() + patience(quick);
    std::vector<double> awake, waker;
    for (std::uint32_t i = 0; i < times && std::chrono::steady_clock::now() < end; ++i) {
        wait_for(b, i + 1);
        std::this_thread::sleep_for(until_asleep);
        const machine::ticks start = machine::now_serialized();
        b.word.store(i + 1, std::memory_order_release);  // release: pairs with the sleeper's acquire
        machine::futex_wake(&b.word, 1);
        const machine::ticks called = machine::now_serialized();
        wait_for(b, i + 2);
        awake.push_back(std::max(0.0, machine::to_ns(b.woken - start) - overhead));
        waker.push_back(std::max(0.0, machine::to_ns(called - start) - overhead));
    }
    b.word.store(no_more, std::memory_order_release);  // release: pairs with the sleeper's acquire
    machine::futex_wake(&b.word, 1);
    sleeper.join();
    return {summarize(awake), summarize(waker)};
}

}  // namespace bough::calibrate
