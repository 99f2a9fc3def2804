#pragma once
// Which of an arena's slots a worker takes, so that neighbours in the arena are neighbours in the machine: the slots
// stand for the machine's CPUs in their order, round, from the cache of the arena's first caller on. Everything that
// goes by the order of slots (teams and their trees, mail, units that have slots, the idle set's lines) goes nearest
// first so. Pure. A place is a number in machine::topology::cpus.

#include <algorithm>

namespace bough {

struct seating {
    unsigned first, slots;    // of the workers
    unsigned origin, places;  // the place that the first slot stands for; how many there are

    // At least one slot. With more slots than CPUs the slots of the CPUs come first.
    unsigned slot_for(unsigned place) const {
        const unsigned from_origin = (place + places - origin) % places;
        return first + from_origin * std::min(slots, places) / places;
    }
};

}  // namespace bough
