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

void heavy_fence() {
    full_fence();
    if (!detail::heavy_reaches_all.load(std::memory_order_relaxed))
        return;
    if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        return;
    // A process made by a means that does not hand the registration down enlists again.
    if (errno == EPERM && enlist() && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        return;
    // Refused from now on, as by a filter that the program has set up. Who took the light fence just before has long
    // stored what it stored by the time this returns; who comes later takes the full one.
    detail::heavy_reaches_all.store(false, std::memory_order_seq_cst);
    timespec left{.tv_sec = 0, .tv_nsec = 1'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
    full_fence();
}

}  // namespace bough::machine
