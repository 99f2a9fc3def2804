#include "bough/detail/spin_wait.h"

#include <time.h>

#include <algorithm>

#include "machine/pause.h"

namespace bough::machine {

void pause_or_sleep(unsigned round) noexcept {
    // 2.5 us (40 cycles a pause) to 10 us (140): the other thread's step takes some hundred ns with all cache misses.
    constexpr unsigned pauses = 200;
    // The kernel's timer slack: what is shorter is rounded up to it, but for real-time threads.
    constexpr long shortest_sleep_ns = 50'000;
    constexpr unsigned most_doublings = 4;
    if (round < pauses)
        return pause();
    const timespec sleep{.tv_sec = 0,
                         .tv_nsec = shortest_sleep_ns << std::min(round - pauses, most_doublings)};
    // Not sched_yield(): it leaves the CPU to threads of the same priority only. An early end is as good.
    clock_nanosleep(CLOCK_MONOTONIC, 0, &sleep, nullptr);
}

}  // namespace bough::machine
