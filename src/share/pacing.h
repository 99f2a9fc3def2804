#pragma once
// How many pieces the owner of a part claims next: the adaptive grain. Pure but for the clock values it is given.
// Source: hybrid-work-distribution, 2: the units done up to the gate give the grain; afterwards the grain follows the
// measured speed.

#include <algorithm>
#include <cstdint>

#include "bough/detail/call_cost.h"
#include "machine/clock.h"
#include "share/loop_word.h"

namespace bough {

class pacing {
public:
    // Of batches, in pieces.
    struct sizes {
        std::uint32_t first;
        std::uint32_t most;  // a thread's share, so that blocking bodies leave work for every thread
        std::uint32_t few;   // where calls cost much: allowed however few pieces are left
        std::uint32_t least = 1;

        // All batches of so many pieces (BOUGH_GRAIN).
        static sizes all(std::uint32_t pieces) { return {pieces, pieces, pieces, pieces}; }
    };

    // `gate`: ticks until stealing opens.
    pacing(const sizes& allowed, machine::ticks start, machine::ticks gate, machine::ticks batch_ticks)
        : least_(allowed.least), few_(allowed.few), most_(std::max(1u, allowed.most)),
          batch_(std::clamp(allowed.first, 1u, most_)), start_(start), last_(start), gate_(gate),
          batch_ticks_(batch_ticks) {}

    std::uint32_t batch() const { return batch_; }
    bool open() const { return open_; }
    std::uint32_t grain() const { return grain_; }

    // Told after `done` pieces, which ran until `now`; `remaining` pieces are left. Sets the next batch. `calls` knows
    // what a call of the body costs.
    void ran(std::uint32_t done, machine::ticks now, std::uint32_t remaining,
             const detail::call_cost& calls) {
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
        grain_ = std::max(grain_, least_);
        batch_ = std::clamp(batch_, least_, most_);
        stretch(calls.longer(done, took, batch_ticks_), remaining);
        if (remaining <= grain_)  // too little for a thief: no use in cutting it
            batch_ = std::max(batch_, std::min(remaining, std::max(most_, few_)));
    }

private:
    // Makes the next batch as long as `pieces`, but only a small share of what is left, or of the whole loop.
    void stretch(std::uint64_t pieces, std::uint32_t remaining) {
        const std::uint32_t share = std::max(std::min(remaining / 8, most_), few_);
        const auto longer = static_cast<std::uint32_t>(std::min<std::uint64_t>(pieces, share));
        batch_ = std::max(batch_, longer);
        if (open_)
            grain_ = std::max(grain_, longer);
    }

    // The number of pieces that would have taken `target`; at most four times what was run, at least a quarter of it.
    static std::uint32_t follow(std::uint32_t current, std::uint32_t done, machine::ticks took,
                                machine::ticks target) {
        if (took >= target * 4)
            return std::max(1u, done / 4);
        if (took * 4 <= target)
            return std::max(current, std::min(done * 4, loop_word::max_pieces));
        return std::max(
            1u, static_cast<std::uint32_t>(std::uint64_t{done} * target / std::max<std::uint64_t>(1, took)));
    }

    std::uint32_t least_;
    std::uint32_t few_;
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
