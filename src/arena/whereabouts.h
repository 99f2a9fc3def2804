#pragma once
// On which CPU the thread in each slot was last seen, by the system's number. The thread looks itself, whether it is
// bound to a CPU or not: when it sits down, and a worker each time that it becomes idle. Hints for others: relaxed.
// Four bytes a slot, on lines that are written when a thread has moved.

#include <atomic>
#include <memory>

#include "machine/affinity.h"

namespace bough {

class whereabouts {
public:
    explicit whereabouts(unsigned slots) : cpus_(new std::atomic<unsigned>[slots] {}) {}

    // The slot's thread. True: it is on another CPU than the last time.
    bool look(unsigned slot) {
        const unsigned now = machine::current_cpu();
        if (cpus_[slot].load(std::memory_order_relaxed) == now)
            return false;
        cpus_[slot].store(now, std::memory_order_relaxed);
        return true;
    }
    unsigned of(unsigned slot) const { return cpus_[slot].load(std::memory_order_relaxed); }

private:
    std::unique_ptr<std::atomic<unsigned>[]> cpus_;
};

}  // namespace bough
