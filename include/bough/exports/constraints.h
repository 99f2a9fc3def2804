#pragma once
// What an arena's constraint means on this machine, for arenas and for info, bough's and oneTBB's. A field that the
// machine cannot meet (a node or a kind that does not exist, less than one thread per core) counts as not given. For
// the first such field in the process bough prints one line on stderr. Behind it: src/entry/constraints.cpp.

#include <vector>

#include "../config.h"

namespace bough {
struct cpu_constraint;
}

namespace bough::detail {

// How many threads an arena under the constraint has: 1 to default_concurrency(). If no field counts, it is
// default_concurrency(). Throws std::bad_alloc.
BOUGH_EXPORT int concurrency_for(const cpu_constraint& c);

// The kernel's numbers of the CPUs that the arena's threads are bound to; empty: all CPUs. Throws std::bad_alloc.
BOUGH_EXPORT std::vector<unsigned> cpus_to_bind_to(const cpu_constraint& c);

}  // namespace bough::detail
