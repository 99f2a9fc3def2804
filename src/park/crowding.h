#pragma once
// Does an idle worker share its CPU with another thread? A worker that does rests. The worker reads the clock in each
// round of its looks. A round takes a microsecond, so in a round that took a thousand the worker had lost its CPU:
// to another thread, if the system has counted a switch that the worker did not ask for, else to the hypervisor.
// Pure but for what it is given.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "machine/clock.h"

namespace bough {

class crowding {
public:
    // A run of rounds begins.
    void begin(machine::ticks now) { last_ = now; }

    // The next round. True: another thread had the CPU for a time slice, which lasts at least least_slice. The worker
    // then rests for ten times as long as it had lost the CPU, at most for a thousand least_slice (the machine may have
    // slept). So a spinning worker takes at most a tenth of a CPU from others, not a half. switches(): how often the
    // system has taken the CPU from this thread; asked rarely.
    template <class Switches>
    bool has_displaced(machine::ticks now, machine::ticks least_slice, Switches&& switches) {
        const machine::ticks before = std::exchange(last_, now);
        if (now < before || now - before < least_slice)
            return false;
        const std::uint64_t seen = switches();
        if (std::exchange(switches_, seen) == seen)
            return false;
        since_ = now;
        rests_ = std::min(now - before, most_slices * least_slice) * times;
        return true;
    }

    // Is the rest over? True also where the clock has begun anew.
    bool is_over(machine::ticks now) const { return now - since_ >= rests_; }

private:
    static constexpr machine::ticks times = 10, most_slices = 100;

    machine::ticks last_ = 0;
    machine::ticks since_ = 0;
    machine::ticks rests_ = 0;
    std::uint64_t switches_ = 0;
};

}  // namespace bough
