#pragma once
// What an arena's constraints mean on this machine.

#include <oneapi/tbb/info.h>

#include <vector>

namespace bough::compat::abi {

// The kernel's numbers of the CPUs that the arena's threads keep to; empty: all.
std::vector<unsigned> cpus_to_bind_to(const tbb::detail::d1::constraints& c);

}  // namespace bough::compat::abi
