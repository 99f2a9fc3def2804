#pragma once
// A lock inside objects of the program, which no handler of fork() in bough could find. In a child process the lock is
// free, even if a thread of the parent held it at the process fork. To be held for a few instructions at a time.

#include <atomic>
#include <cstdint>

#include "../exports/process_fork.h"
#include "spin_wait.h"

namespace bough::detail {

class fork_lock {
public:
    void lock() noexcept {
        const std::uint32_t mine = fork_generation();
        std::uint32_t holder = nobody;
        machine::spin_wait wait;
        // acquire: pairs with unlock(). If the holder is of another generation, the next try takes the lock from it.
        while (!holder_.compare_exchange_weak(holder, mine, std::memory_order_acquire,
                                              std::memory_order_relaxed))
            if (holder == mine) {
                wait.pause();
                holder = nobody;
            }
    }
    void unlock() noexcept { holder_.store(nobody, std::memory_order_release); }

private:
    static constexpr std::uint32_t nobody = 0;
    std::atomic<std::uint32_t> holder_{nobody};
};

}  // namespace bough::detail
