#pragma once
// Process-wide settings that entry points ask for: what living objects of tbb::global_control want.

namespace bough::compat::abi {

// Arenas that do not say otherwise let idle workers go at once.
bool leaves_fast() noexcept;

}  // namespace bough::compat::abi
