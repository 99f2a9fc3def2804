#pragma once
// Shows a thread the other slots, in the order that BOUGH_VICTIMS asks for (steal/victims.h).

#include <utility>

#include "arena/arena.h"
#include "arena/slot.h"
#include "machine/topology.h"
#include "profile/tuning.h"

namespace bough {

// How far the CPUs of the two slots' threads are from each other. Known only if threads are bound to CPUs; else 0.
inline unsigned distance(const slot& s, unsigned other) {
    const slot* o = s.home.slot_at(other);
    if (!tuned().pin || !o)
        return 0;
    const auto& cpus = machine::machine_topology().cpus;
    const auto cpu_of = [&](const slot& one) {
        return cpus[one.cpu.load(std::memory_order_relaxed) % cpus.size()];
    };
    return machine::distance(cpu_of(s), cpu_of(*o));
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
