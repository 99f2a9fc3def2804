#pragma once
// Which unit of a static_partitioner's loop is whose: the caller's is 0, and who sits a seat further on has the unit
// before, so that the nearest seats have the last units, which are handed out and stolen first. So the same threads run
// the same units each time. Pure; numbers of units and seats are below `seats`.

#include <cstdint>

namespace bough {

// How many units come before that of this seat, where the first is that of `front`, round and round.
inline std::uint32_t units_up_to(std::uint32_t front, std::uint32_t seat, std::uint32_t seats) {
    return (front + seats - seat % seats) % seats;
}

// Whose unit this one is.
inline std::uint32_t seat_of(std::uint64_t number, std::uint32_t caller, std::uint32_t seats) {
    return (caller + seats - static_cast<std::uint32_t>(number % seats)) % seats;
}

}  // namespace bough
