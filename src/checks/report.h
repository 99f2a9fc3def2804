#pragma once
// What is said of a misuse before the process ends.

#include "checks/held_locks.h"

namespace bough::checks {

// The calling thread wants, at `at`, a lock that it holds and will not let go of before it has it.
[[noreturn]] void report_taken_again(const held_lock& mine, const char* kind, bool wants_shared,
                                     const void* at);

}  // namespace bough::checks
