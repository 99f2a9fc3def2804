#pragma once
// How a loop is cut. Contracts are oneTBB's; auto_partitioner is bough's hybrid.

#include <cstdint>
#include <vector>

#include "config.h"

namespace bough {

// The default: handed out over idle threads as a tree, stealing opened after the profile's timespan, pieces sized by
// measured cost. A piece is never smaller than half the range's grain.
class auto_partitioner {};

// Cuts until nothing is divisible: every body call gets at least half the grain and at most the grain; a
// smaller range stays whole.
class simple_partitioner {};

// One piece per thread, as even as possible, no balancing. For equal work and for thread-local data. Pieces
// are of at least a third of the grain, so perhaps fewer than threads.
class static_partitioner {};

// Replays, on the same object, which thread ran which part the last time. Not thread-safe: used by two loops
// at once, or by one inside the other, the behaviour is undefined. Pieces are of at least a third of the
// grain. It keeps two bytes for each chunk of the loop: 16 for each thread, or one for each grain where these
// are fewer. They outlive exceptions and cancellations, but not a loop with another number of chunks. Any
// loop may throw std::bad_alloc, before a body is called.
class affinity_partitioner {
public:
    affinity_partitioner() = default;
    affinity_partitioner(const affinity_partitioner&) = delete;
    affinity_partitioner& operator=(const affinity_partitioner&) = delete;

    // For the engine: slot that ran each chunk of the last loop.
    std::vector<std::uint16_t>& chunk_slots() noexcept { return chunk_slots_; }

private:
    std::vector<std::uint16_t> chunk_slots_;
};

}  // namespace bough
