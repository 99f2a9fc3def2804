#pragma once
// A loop of an affinity_partitioner that is handed off. Its units become chunks, in an order in which the chunks that
// each member of the team ran the last time lie together. So each member is handed one interval, and parts and steals
// are those of any loop. The slot that runs a chunk is noted. share/prediction.md "Affinity".

#include <atomic>
#include <cstdint>

#include "arena/slot.h"
#include "bough/detail/chunk_map.h"
#include "bough/detail/loop_job.h"
#include "share/chunk_order.h"

namespace bough {

using detail::loop_job;
using detail::unit;

// Lies on the caller's stack. While it lives the job's functions and units are those of the chunks.
struct replay {
    // As many as oneTBB's affinity map has.
    static constexpr std::uint32_t chunks_per_thread = 16;

    // `members`: `count` slots whose workers wait for work.
    replay(slot& s, loop_job& job, const std::uint16_t* members, std::uint32_t count);
    ~replay();
    replay(const replay&) = delete;
    replay& operator=(const replay&) = delete;

    const chunk_order& order() const { return order_; }
    double units_per_chunk() const { return static_cast<double>(units_) / static_cast<double>(job_.units); }

private:
    // The accumulators of one participant: one for each interval without gaps that it runs.
    struct accumulators {
        void* newest = nullptr;
        unit end = ~unit{0};  // one past the last unit of the newest
        accumulators* before = nullptr;
    };

    static void run_chunks(loop_job& job, void* accumulator, unit first, unit last);
    static void* fork_chunks(loop_job& job, unit first);
    void* accumulator_for(void* participant, unit first, unit last);
    void note(std::uint32_t first, std::uint32_t last, std::uint16_t here) const;

    unit begin_of(std::uint32_t chunk) const { return each_ * chunk + (chunk < longer_ ? chunk : longer_); }

    loop_job& job_;
    const unit units_;
    const loop_job::run_function run_;
    const loop_job::fork_function fork_;
    std::uint16_t* slots_ = nullptr;  // for each chunk, the slot that ran it; null: no memory
    unit each_;                       // the fewest units in a chunk
    std::uint32_t longer_;            // how many chunks, the first ones, have one more
    chunk_order order_;

    accumulators own_;  // the caller's
    std::atomic<accumulators*> others_{nullptr};
};

}  // namespace bough
