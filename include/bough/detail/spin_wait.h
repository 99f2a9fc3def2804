#pragma once
// Waits for another thread's next step. The step is a few instructions away, unless that thread has lost its CPU. It
// may have lost the CPU to the thread that waits: a real-time thread that spins, or yields, keeps every thread of lower
// priority off its CPU. So after some pauses the waiting thread sleeps, longer each time.

#include "../exports/spin_wait.h"

namespace bough::machine {

// One object for each wait. Call pause() between two looks.
class spin_wait {
public:
    void pause() noexcept {
        pause_or_sleep(round_);
        round_ += round_ != last_round ? 1 : 0;
    }

private:
    static constexpr unsigned last_round = 1u << 16;  // any number after which nothing changes

    unsigned round_ = 0;
};

}  // namespace bough::machine
