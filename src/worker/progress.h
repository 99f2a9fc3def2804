#pragma once
// Whether anything is under way, and whether it goes on: from what slots count, and publish anyway. Nothing is written
// for it, so loops and tasks cost what they cost.

#include <cstdint>

namespace bough {

struct progress {
    bool is_seen = false;  // false: the crew's mutex was not to be had, and the rest is empty
    // A thread waits in a call of bough or is inside a body, or something is published or enqueued that nobody has
    // taken.
    bool is_under_way = false;
    // Changes with every task that is begun, every steal and hand-off, every batch of a loop that is published.
    std::uint64_t sum = 0;
};

// By the watchdog's thread, every `interval_ms`. Waits some ms at the most.
progress progress_now(double interval_ms);

}  // namespace bough
