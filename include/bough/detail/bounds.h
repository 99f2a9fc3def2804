#pragma once
// The bounds of what programs and the environment may ask for.

#include <cstddef>

namespace bough::detail {

// The most slots of an arena, and so the most threads. Up to this number arena::share_of() divides exactly, and a
// profile has a value for each size of a team.
inline constexpr unsigned most_threads = 4096;

// The smallest stack of a worker. One half is the reserve in which too deep a nesting ends
// (src/machine/stack_linux.cpp), the other half is for calls.
inline constexpr std::size_t least_stack_bytes = std::size_t{64} << 10;

}  // namespace bough::detail
