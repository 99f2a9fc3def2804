#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "machine/asymmetric_fence.h"

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

void heavy_fence() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!detail::heavy_reaches_all.load(std::memory_order_relaxed))
        return;
    // A process made by a means that does not hand the registration down enlists again.
    while (!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) && !(errno == EPERM && enlist())) {
    }
}

}  // namespace bough::machine
