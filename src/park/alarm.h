#pragma once
// What a publisher reads after it has published: must somebody be called? One word on a line of its own, read by every
// publisher, written only when the last watcher goes or a call is made. README.md has the lost-wake-up proof.

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

    // Whoever stops watching or goes to sleep; it looks at everything that is published once more afterwards.
    void raise() {
        raised_.exchange(1, std::memory_order_seq_cst);
        Atomics::heavy_fence();
    }

    // A watcher is there.
    void lower() {
        if (raised_.load(std::memory_order_relaxed))
            raised_.store(0, std::memory_order_seq_cst);
    }

private:
    typename Atomics::template atomic<std::uint32_t> raised_{1};
};

using alarm = basic_alarm<machine::atomics>;

}  // namespace bough
