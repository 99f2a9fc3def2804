#pragma once
// Partitioners say how a loop is cut. Their contracts are oneTBB's; auto_partitioner is bough's own hybrid.

#include "config.h"
#include "detail/chunk_map.h"

namespace bough {

// The default. The caller hands intervals off to idle workers as a tree. Other threads may steal after a time that the
// profile names (the gate). Pieces are sized by measured cost, and are never smaller than half the range's grain.
class auto_partitioner {};

// Cuts until nothing is divisible: every body call gets at least half the grain and at most the grain. A smaller range
// stays whole.
class simple_partitioner {};

// One piece per thread, as even as possible, without balancing. For equal work and for thread-local data. A piece has
// at least a third of the grain, so there may be fewer pieces than threads.
class static_partitioner {};

// Gives each chunk of a loop to the thread that ran it in the last loop with the same object. Not thread-safe: if two
// loops use the object at once, or a loop and one inside it, the behaviour is undefined. A piece has at least a third
// of the grain.
//
// Two kinds of loops are not remembered. A loop that is too short to be shared runs in its caller. A loop that is too
// short to be balanced is halved for the same threads each time. For other loops the object keeps two bytes for each
// chunk: there are 16 chunks for each thread, or one for each grain if these are fewer. The object keeps them after
// exceptions and cancellations, but not after a loop with another number of chunks. Without memory for them nothing is
// replayed.
class affinity_partitioner {
public:
    affinity_partitioner() noexcept : map_{nullptr, 0, detail::resize_on_heap}, owns_map_(true) {}
    // For runtimes that are built on bough: the map's memory stays the caller's.
    explicit affinity_partitioner(const detail::chunk_map& lent) noexcept : map_(lent), owns_map_(false) {}
    affinity_partitioner(const affinity_partitioner&) = delete;
    affinity_partitioner& operator=(const affinity_partitioner&) = delete;
    ~affinity_partitioner() {
        if (owns_map_)
            delete[] map_.slots;
    }

    // For the library.
    detail::chunk_map& map() noexcept { return map_; }

private:
    detail::chunk_map map_;
    bool owns_map_;
};

}  // namespace bough
