#pragma once
// Which unit of a static_partitioner's loop is whose: the caller's is 0, and who sits a slot further on has the unit
// before, so that the nearest slots have the last units, which are handed off and stolen first. So the same threads run
// the same units each time. Pure; numbers of units and slots are below `slots`.

#include <cstdint>

namespace bough {

// How many units come before that of this slot, where the first is that of `front`, round and round.
inline std::uint32_t units_up_to(std::uint32_t front, std::uint32_t slot, std::uint32_t slots) {
    return (front + slots - slot % slots) % slots;
}

// Whose unit this one is.
inline std::uint32_t slot_of_unit(std::uint64_t number, std::uint32_t caller, std::uint32_t slots) {
    return (caller + slots - static_cast<std::uint32_t>(number % slots)) % slots;
}

}  // namespace bough
