#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "bough/detail/asymmetric_fence.h"

namespace bough::machine {

namespace {

bool membarrier(int command) {
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

bool enlist() {
    return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

}  // namespace

// Before main(), or when the library is loaded. Threads that publish earlier take the full fence.
std::atomic<bool> detail::heavy_reaches_all{enlist()};

__attribute__((no_sanitize("thread"), noinline)) void full_fence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

namespace {

// Since membarrier was refused so much time has passed that every light fence taken before has taken effect. True too
// where the kernel has never agreed.
std::atomic<bool> is_drained{true};

// A thread that took the light fence just before has stored what it stored long before a millisecond is over; one that
// comes later takes the full fence. Each raiser waits by itself: it waits for no thread, so a child process, where
// the first raiser may be missing, needs nothing else.
void drain() {
    timespec left{.tv_sec = 0, .tv_nsec = 1'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
    // release: pairs with heavy_fence(); whoever sees it comes after that time.
    is_drained.store(true, std::memory_order_release);
    full_fence();
}

}  // namespace

void heavy_fence() {
    full_fence();
    // acquire: pairs with the refusal below; who sees it sees that it is to wait.
    if (!detail::heavy_reaches_all.load(std::memory_order_acquire)) {
        // acquire: pairs with drain().
        if (!is_drained.load(std::memory_order_acquire))
            drain();
        return;
    }
    if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        return;
    // A process made by a means that does not hand the registration down enlists again.
    if (errno == EPERM && enlist() && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        return;
    // Refused from now on, as by a filter that the program has set up. Another thread may have been refused as
    // well, and have waited already: then the next raiser waits once more.
    is_drained.store(false, std::memory_order_relaxed);
    detail::heavy_reaches_all.store(false, std::memory_order_seq_cst);
    drain();
}

}  // namespace bough::machine
