#pragma once
// What an arena's constraint means on this machine, for arenas and for info: bough's and oneTBB's. What the machine
// cannot meet (a node or a kind that is not there, less than one thread per core) counts as not given, with one line on
// stderr for the first of all. Behind it: src/entry/constraints.cpp.

#include <vector>

#include "../config.h"

namespace bough {
struct cpu_constraint;
}

namespace bough::detail {

// Threads for an arena under the constraint, 1 to default_concurrency(), which it is if nothing of it counts. Throws
// std::bad_alloc.
BOUGH_EXPORT int concurrency_for(const cpu_constraint& c);

// The kernel's numbers of the CPUs that the arena's threads keep to; empty: all. Throws std::bad_alloc.
BOUGH_EXPORT std::vector<unsigned> cpus_to_bind_to(const cpu_constraint& c);

}  // namespace bough::detail
