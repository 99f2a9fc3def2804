#pragma once
// Of an arena: where requests wait while no slot shows anything to give. README.md, "The lobby".

#include <atomic>
#include <cstdint>

#include "bough/config.h"

namespace bough::balancing {

// The request itself lies in its thief's seat (request_place.h). Here is a hint where to look: a bit for all slots of
// the same number modulo 64.
class lobby {
public:
    static constexpr unsigned size = 64;

    // relaxed, all: a thread that misses a request misses a moment, as its thief looks again.
    bool is_empty() const { return bits_.load(std::memory_order_relaxed) == 0; }
    std::uint64_t look() const { return bits_.load(std::memory_order_relaxed); }
    void mark(unsigned slot) { bits_.fetch_or(bit(slot % size), std::memory_order_relaxed); }
    // True for the thread that has cleared it.
    bool take(unsigned i) { return (bits_.fetch_and(~bit(i), std::memory_order_relaxed) & bit(i)) != 0; }

private:
    static std::uint64_t bit(unsigned i) { return std::uint64_t{1} << i; }

    alignas(cache_line) std::atomic<std::uint64_t> bits_{0};
};

}  // namespace bough::balancing
