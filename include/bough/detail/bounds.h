#pragma once
// The bounds of what programs and environment may ask for.

#include <cstddef>

namespace bough::detail {

// Slots of an arena, and so threads: up to here arena::share_of() divides exactly, and a profile has a value for
// each team.
inline constexpr unsigned most_threads = 4096;

// Half of it is the reserve in which too deep a nesting ends (src/machine/stack_linux.cpp), the other half is
// for the calls.
inline constexpr std::size_t least_stack_bytes = std::size_t{64} << 10;

}  // namespace bough::detail
