#pragma once
// An arena of two threads whose second slot has an idle worker that never runs. So a loop publishes, hands off and
// takes back as it does beside a real worker, but all of it in one thread: the count is the same each time.

#include <cstdlib>

#include <bough/bough.h>

#include "profile/tuning.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough_count {

// Before the first use of bough. Whether a loop is worth a hand-off is decided by what one costs, not by the clock,
// which runs slowly under callgrind.
inline void begin(bough::machine::ticks handoff) {
    setenv("BOUGH_NUM_THREADS", "2", 1);
    static bough::tuning fixed = bough::process_tuning();
    fixed.handoff = handoff;
    fixed.watch_least = 0;
    bough::made_tuning = &fixed;
}

class idle_worker {
public:
    idle_worker() : slot_(*bough::this_slot().home.take_worker_slot()) {
        slot_.home.watch.enter();
        slot_.home.watch.try_watch(slot_.index + 1u);
        slot_.spins = true;
        bough::wait_for_hand_off(slot_);
    }
    // True if it had been handed work, which its sender has taken back.
    bool waits_again() {
        const bool was_handed = !slot_.cell.is_waiting();
        if (slot_.cell.receive())
            std::abort();  // it has the work
        return was_handed && slot_.cell.is_waiting();
    }

private:
    bough::slot& slot_;
};

}  // namespace bough_count
