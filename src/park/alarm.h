#pragma once
// What a publisher reads after it has published: must it call? One word on a line of its own. Every publisher reads it.
// It is written only when a thread raises it, when a watcher comes, or when a call is made. README.md proves that no
// wake-up is lost.

#include <cstdint>

#include "bough/config.h"
#include "machine/atomics.h"

namespace bough {

template <class Atomics>
class alignas(cache_line) basic_alarm {
public:
    // Publisher. seq_cst: store-load pair with raise(); the publisher's own store is seq_cst too, or followed by a
    // light fence.
    bool is_raised() const { return raised_.load(std::memory_order_seq_cst) != 0; }

    // True for the one publisher that has to make the call.
    bool answer() { return raised_.exchange(0, std::memory_order_seq_cst) != 0; }

    // For a thread that stops watching or goes to sleep, and where a worker did not come. Afterwards the thread looks
    // once more at everything that is published (crew::ask_again says why it need not). The heavy fence pairs with the
    // publishers' light fence.
    void raise() {
        raised_.exchange(1, std::memory_order_seq_cst);
        Atomics::heavy_fence();
    }

    // A watcher is there. seq_cst: pairs with a caller that goes to sleep (README.md).
    void lower() {
        if (raised_.load(std::memory_order_relaxed))
            raised_.store(0, std::memory_order_seq_cst);
    }

private:
    typename Atomics::template atomic<std::uint32_t> raised_{1};
};

using alarm = basic_alarm<machine::atomics>;

}  // namespace bough
