// Waiting on an address: what tbb::mutex and tbb::rw_mutex sleep by. Any thread.
// Invariant: a notifier changes the state at the address by a seq_cst read-modify-write before it calls (every caller
// in oneTBB's headers does, in 2021.8 as in the pinned ones), so a notification that nobody waits for is one load.

#include <oneapi/tbb/detail/_waitable_atomic.h>

#include "bough/detail/parking.h"

namespace tbb::detail::r1 {

void wait_on_address(void* address, d1::delegate_base& wakeup_condition, std::uintptr_t context) {
    bough::detail::park(address, context, [&] { return wakeup_condition(); });
}

void notify_by_address(void* address, std::uintptr_t context) {
    bough::detail::unpark_matching(
        address, [](std::uintptr_t theirs, std::uintptr_t wanted) { return theirs == wanted; }, context);
}

void notify_by_address_one(void* address) {
    bough::detail::unpark_one(address);
}

void notify_by_address_all(void* address) {
    bough::detail::unpark_all(address);
}

}  // namespace tbb::detail::r1
