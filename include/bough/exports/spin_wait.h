#pragma once
// One step of a wait (detail/spin_wait.h). Behind it: src/machine/spin_wait_linux.cpp.

#include "../config.h"

namespace bough::machine {

// Round 0 is the first. A pause of the CPU in the first rounds, about 5 us in all; then sleeps of 50 us to 1 ms.
BOUGH_EXPORT void pause_or_sleep(unsigned round) noexcept;

}  // namespace bough::machine
