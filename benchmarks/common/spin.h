#pragma once
// Waiting by hand: without pause instructions at first (one costs a good part of a hand-off), then yielding, as with
// more threads than CPUs the one that is waited for needs the CPU.

#include <thread>

namespace bench {

template <class Condition>
void spin_until(const Condition& condition) {
    constexpr unsigned patience = 50000;  // some 25 us
    for (unsigned spins = 0; !condition(); ++spins)
        if (spins > patience)
            std::this_thread::yield();
}

}  // namespace bench
