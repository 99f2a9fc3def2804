#pragma once
// Which unit of a static_partitioner's loop belongs to which slot, so that the same threads run the same units each
// time. Unit 0 is the caller's. The next slot has the last unit, the slot after it the unit before that, and so on. So
// the nearest slots have the last units, which are handed off and stolen first. Pure. Numbers of slots are below
// `slots`.

#include <cstdint>

namespace bough {

// How many units come before that of `slot`, counted round, if the first unit is that of `front`.
inline std::uint32_t units_up_to(std::uint32_t front, std::uint32_t slot, std::uint32_t slots) {
    return (front + slots - slot % slots) % slots;
}

// The slot that the unit of this number belongs to.
inline std::uint32_t slot_of_unit(std::uint64_t number, std::uint32_t caller, std::uint32_t slots) {
    return (caller + slots - static_cast<std::uint32_t>(number % slots)) % slots;
}

}  // namespace bough
