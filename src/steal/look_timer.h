#pragma once
// When an idle thread looks at the words of other slots next: soon after it became idle, then less and less often, so
// that owners keep their lines. The times come from the profile (tuning::watch_least, watch_most). worker/decisions.md
// says which growth is used where, and why.

#include <algorithm>

#include "machine/clock.h"

namespace bough {

// The time between two looks grows at each look by itself divided by this number.
enum class look_growth : machine::ticks { by_all = 1, by_a_quarter = 4 };

class look_timer {
public:
    look_timer(machine::ticks now, machine::ticks first, machine::ticks most,
               look_growth growth = look_growth::by_all)
        : next_(now + first), period_(first), most_(most), growth_(growth) {}

    bool is_due(machine::ticks now) {
        if (now < next_)
            return false;
        period_ = std::min(period_ + period_ / static_cast<machine::ticks>(growth_) + 1, most_);
        next_ = now + period_;
        return true;
    }

private:
    machine::ticks next_;
    machine::ticks period_;
    machine::ticks most_;
    look_growth growth_;
};

}  // namespace bough
