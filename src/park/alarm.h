#pragma once
// What a publisher reads after it has published: must it call? One word on a line of its own. Every publisher reads it.
// It is written only when a thread raises it, when a watcher comes, or when a call is made. README.md proves that no
// wake-up is lost.

#include <cstdint>

#include "bough/config.h"
#include "machine/atomics.h"

namespace bough {

// asleep: the watcher sleeps between two looks. It looks again by itself; a call only makes it look sooner.
enum class alarm_state : std::uint32_t { quiet, raised, asleep };

template <class Atomics>
class alignas(cache_line) basic_alarm {
    using state = alarm_state;

public:
    // Publisher. seq_cst: store-load pair with raise(); the publisher's own store is seq_cst too, or followed by a
    // light fence.
    bool is_raised() const { return state_.load(std::memory_order_seq_cst) == state::raised; }
    bool is_quiet() const { return state_.load(std::memory_order_seq_cst) == state::quiet; }

    // What the publisher has to answer; `quiet` for all but one of several.
    state answer() { return state_.exchange(state::quiet, std::memory_order_seq_cst); }

    // For a thread that stops watching or goes to sleep, and where a worker did not come. Afterwards the thread looks
    // once more at everything that is published (crew::ask_again says why it need not). The heavy fence pairs with the
    // publishers' light fence.
    void raise() {
        state_.exchange(state::raised, std::memory_order_seq_cst);
        Atomics::heavy_fence();
    }

    // A watcher is there. seq_cst: pairs with a caller that goes to sleep (README.md).
    void lower() {
        if (state_.load(std::memory_order_relaxed) != state::quiet)
            state_.store(state::quiet, std::memory_order_seq_cst);
    }

    // The watcher is about to sleep, and stays awake from now on. In between, while it sleeps and looks in turns, the
    // alarm says `asleep` all the time. So what is published just after a look, but for the first one, is answered, and
    // then the watcher does not sleep again (watch::doze). A raised alarm stays raised. relaxed: the parking lot's
    // fence stands between the first one and the watcher's question whether it was called. What it misses costs the
    // time of its sleep.
    void watcher_sleeps() { change(state::quiet, state::asleep); }
    void watcher_wakes() { change(state::asleep, state::quiet); }

private:
    void change(state from, state to) { state_.compare_exchange_strong(from, to, std::memory_order_relaxed); }

    typename Atomics::template atomic<state> state_{state::raised};
};

using alarm = basic_alarm<machine::atomics>;

}  // namespace bough
