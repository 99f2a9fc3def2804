#pragma once
// Shows a thread the other slots, in the order that BOUGH_VICTIMS asks for (steal/victims.h).

#include <utility>

#include "arena/arena.h"
#include "arena/slot.h"
#include "machine/topology.h"
#include "profile/tuning.h"

namespace bough {

// How far the CPUs are from each other on which the two slots' threads were last seen; 0 where all lie equally near.
inline unsigned distance(const slot& s, unsigned other) {
    const machine::topology* const t = machine::uneven_topology();
    return t ? machine::distance_between(*t, s.home.seen.of(s.index), s.home.seen.of(other)) : 0;
}

// Calls see(index) for every other slot, until see returns true; returns whether it did.
template <class See>
bool look_around(slot& s, See&& see) {
    const victim_choice by = tuned().victims;
    const bool last_first = by == victim_choice::last_nearest || by == victim_choice::last;
    const bool near_first = by == victim_choice::last_nearest || by == victim_choice::nearest;
    return s.victims.each(
        s.home.used_slots(), last_first, [&](unsigned i) { return near_first ? distance(s, i) : 0; },
        std::forward<See>(see));
}

}  // namespace bough
