#pragma once
// How many pieces the owner of a part claims next: the adaptive grain. Pure but for the clock values it is given.
// Source: hybrid-work-distribution, 2: the iterations done up to the gate give the grain; afterwards it follows.

#include <algorithm>
#include <cstdint>

#include "machine/clock.h"

namespace bough {

class pacing {
public:
    // `most`: pieces / P, so that blocking bodies leave work for every thread. `gate`: ticks until stealing opens.
    pacing(std::uint32_t first_batch, std::uint32_t most, machine::ticks start, machine::ticks gate,
           machine::ticks batch_ticks)
        : most_(std::max(1u, most)), batch_(std::clamp(first_batch, 1u, most_)), start_(start), last_(start),
          gate_(gate), batch_ticks_(batch_ticks) {}

    std::uint32_t batch() const { return batch_; }
    bool open() const { return open_; }
    std::uint32_t grain() const { return grain_; }

    // After `done` pieces ran until `now`. Sets the next batch; `remaining` pieces are left.
    void ran(std::uint32_t done, machine::ticks now, std::uint32_t remaining) {
        const machine::ticks took = now - last_;
        last_ = now;
        total_ += done;
        if (!open_ && now - start_ >= gate_) {
            open_ = true;
            grain_ = std::max(1u, total_);
        } else if (open_) {
            grain_ = follow(grain_, done, took, batch_ticks_);
        }
        if (open_) {
            batch_ = std::min(grain_, std::max(batch_ * 4, 1u));
        } else {
            // Before the gate: grow towards one batch that ends at it.
            const machine::ticks left = gate_ - (now - start_);
            batch_ = follow(batch_, done, took, std::max(left, gate_ / 4));
        }
        batch_ = std::min(batch_, most_);
        if (remaining <= grain_)  // too little for a thief: no use in stopping on the way
            batch_ = std::min(std::max(batch_, remaining), most_);
    }

private:
    // The count that would have taken `target`, but at most four times up or down from what was run.
    static std::uint32_t follow(std::uint32_t current, std::uint32_t done, machine::ticks took,
                                machine::ticks target) {
        if (took >= target * 4)
            return std::max(1u, done / 4);
        if (took * 4 <= target)
            return std::max(current, std::min(done * 4, 4095u));
        return std::max(
            1u, static_cast<std::uint32_t>(std::uint64_t{done} * target / std::max<std::uint64_t>(1, took)));
    }

    std::uint32_t most_;
    std::uint32_t batch_;
    std::uint32_t grain_ = 1;
    std::uint32_t total_ = 0;
    bool open_ = false;
    machine::ticks start_;
    machine::ticks last_;
    machine::ticks gate_;
    machine::ticks batch_ticks_;
};

}  // namespace bough
