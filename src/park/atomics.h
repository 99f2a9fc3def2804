#pragma once
// machine::atomics with what threads sleep on.

#include <cstdint>

#include "machine/atomics.h"
#include "machine/futex.h"

namespace bough {

struct parking_atomics : machine::atomics {
    static void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) {
        machine::futex_wait(word, expected);
    }
    static void futex_wait_for(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                               std::uint64_t ns) {
        machine::futex_wait_for(word, expected, ns);
    }
    static void futex_wake(const std::atomic<std::uint32_t>* word, int count) {
        machine::futex_wake(word, count);
    }
    static constexpr unsigned parking_lot_bits = 4;  // 16 lists
};

}  // namespace bough
