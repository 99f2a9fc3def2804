#pragma once
// Does an idle worker share its CPU with somebody? Told by the clock that it reads in each round of its looks: a round takes
// a microsecond, so one that took a thousand was somebody else's. Whoever is told so rests. Pure but for the clock values.

#include <algorithm>

#include "machine/clock.h"

namespace bough {

class crowding {
public:
    // A run of rounds begins.
    void begin(machine::ticks now) { last_ = now; }
    // The next round. True: the CPU was lost for a time slice, which is at least so long; the thread rests for ten times as
    // long, at most a thousand of the least (the machine may have slept). So what spins takes a tenth of a CPU from others
    // at the most, not a half.
    bool has_displaced(machine::ticks now, machine::ticks least_slice) {
        const machine::ticks took = now - last_;
        last_ = now;
        if (took < least_slice)
            return false;
        until_ = now + std::min(took, most_slices * least_slice) * rest;
        return true;
    }

    bool is_over(machine::ticks now) const { return now >= until_; }

private:
    static constexpr machine::ticks rest = 10, most_slices = 100;

    machine::ticks last_ = 0;
    machine::ticks until_ = 0;
};

}  // namespace bough
