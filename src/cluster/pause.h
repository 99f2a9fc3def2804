#pragma once
// How an agent waits between two looks at its transport: it yields at first, since answers are microseconds away, then
// sleeps. Blocking in MPI would spin, on a core that a worker needs.

#include <chrono>
#include <thread>

namespace bough::cluster {

class pause_between_looks {
public:
    void something_happened() { yields_ = 0; }
    void nothing_happened() {
        if (yields_ < most_yields) {
            ++yields_;
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(sleep);
        }
    }

private:
    static constexpr int most_yields = 64;  // some round trips over shared memory (7 us with yields)
    static constexpr std::chrono::microseconds sleep{100};  // half of the first back-off of a thief

    int yields_ = 0;
};

}  // namespace bough::cluster
