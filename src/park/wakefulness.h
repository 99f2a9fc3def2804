#pragma once
// How long a watcher that finds nothing stays awake before it dozes. Staying awake costs a CPU, dozing costs the next
// work a wake-up. So it stays awake for twice the pause after which work came to it, if that was not too long, and for
// half as long as before whenever nothing came. Pure.

#include <algorithm>

#include "machine/clock.h"

namespace bough {

class wakefulness {
public:
    explicit wakefulness(machine::ticks first) : awake_for_(first) {}

    machine::ticks awake_for() const { return awake_for_; }
    // Work came, which was worth a wake-up, after so long a pause.
    void was_wanted(machine::ticks after, machine::ticks most) {
        if (after <= most)
            awake_for_ = std::max(awake_for_, std::min(2 * after, most));
    }
    // Nothing came: it dozes.
    void was_not_wanted(machine::ticks least) { awake_for_ = std::max(least, awake_for_ / 2); }

private:
    machine::ticks awake_for_;
};

}  // namespace bough
