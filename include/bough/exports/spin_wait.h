#pragma once
// One step of a wait (detail/spin_wait.h). Behind it: src/machine/spin_wait_linux.cpp.

#include "../config.h"

namespace bough::machine {

// Rounds are counted from 0. In the first rounds the CPU pauses, for about 5 us in all. In later rounds the thread
// sleeps, for 50 us to 1 ms each time.
BOUGH_EXPORT void pause_or_sleep(unsigned round) noexcept;

}  // namespace bough::machine
