#pragma once
// An arena's constraints as oneTBB's headers pass them, for the core.

#include <oneapi/tbb/info.h>

#include <bough/topology.h>

#include "newer.h"

namespace bough::compat::abi {

inline cpu_constraint cpus_under(const tbb::detail::d1::constraints& c) {
    return {c.numa_id, core_type_set::decode(c.core_type), c.max_threads_per_core};
}

}  // namespace bough::compat::abi
