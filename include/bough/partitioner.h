#pragma once
// How a loop is cut. Contracts are oneTBB's; auto_partitioner is bough's hybrid.

#include "config.h"
#include "detail/chunk_map.h"

namespace bough {

// The default: handed off to idle threads as a tree, stealing opened after the profile's timespan, pieces sized by
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
// grain. A loop that is too short to be shared runs in its caller, and one that is too short to be balanced is
// halved for the same threads each time; neither is remembered. Of others it keeps two bytes for each chunk:
// 16 chunks for each thread, or one for each grain where these are fewer. They outlive exceptions and
// cancellations, but not a loop with another number of chunks. Without memory for them nothing is replayed.
class affinity_partitioner {
public:
    affinity_partitioner() noexcept : map_{nullptr, 0, detail::resize_on_heap}, owns_map_(true) {}
    // For runtimes that stand on bough: with a map in the memory of somebody else.
    explicit affinity_partitioner(const detail::chunk_map& lent) noexcept : map_(lent), owns_map_(false) {}
    affinity_partitioner(const affinity_partitioner&) = delete;
    affinity_partitioner& operator=(const affinity_partitioner&) = delete;
    ~affinity_partitioner() {
        if (owns_map_)
            delete[] map_.slots;
    }

    // For the engine.
    detail::chunk_map& map() noexcept { return map_; }

private:
    detail::chunk_map map_;
    bool owns_map_;
};

}  // namespace bough
