#pragma once
// As support/new_process.h, and what the machine layer knows.

#include "machine/limits.h"
#include "support/new_process.h"

namespace bough_test {

// No quota takes one of them away either.
inline bool may_use_cpus_0_and_1() {
    return has_cpus_0_and_1() && bough::machine::usable_cpus() == 2;
}

}  // namespace bough_test
