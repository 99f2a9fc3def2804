#pragma once
// Whether work is under way, and whether it goes on. Read from the slots' counters, and from what slots publish anyway:
// loops and tasks write nothing for it.

#include <cstdint>

namespace bough {

struct progress {
    bool is_seen = false;  // false: the crew's mutex could not be had, and the rest is empty
    // A thread waits in a call of bough or is inside a body, or something is published or enqueued that no thread has
    // taken.
    bool is_under_way = false;
    // Changes with every task that is spawned, begun or taken from a mailbox, every steal and hand-off, and every batch
    // of a loop that is published.
    std::uint64_t sum = 0;
};

// The watchdog's thread calls it every `interval_ms`. Waits some ms at most.
progress progress_now(double interval_ms);

}  // namespace bough
