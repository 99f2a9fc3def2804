#pragma once
// When an idle thread looks at others' words next: soon after it became idle, then less and less often, so that owners
// keep their lines. Times from the profile (tuning::watch_least, watch_most).

#include <algorithm>

#include "machine/clock.h"

namespace bough {

class look_timer {
public:
    look_timer(machine::ticks now, machine::ticks first, machine::ticks most)
        : next_(now + first), period_(first), most_(most) {}

    bool is_due(machine::ticks now) {
        if (now < next_)
            return false;
        period_ = std::min(period_ * 2 + 1, most_);
        next_ = now + period_;
        return true;
    }

private:
    machine::ticks next_;
    machine::ticks period_;
    machine::ticks most_;
};

}  // namespace bough
