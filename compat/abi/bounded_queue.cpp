// How tbb::concurrent_bounded_queue blocks: poppers of an empty queue wait for items, pushers into a full one for
// slots. Any thread. A waiter has a target, the ticket of the item or slot that lets it go on; a notifier has a ticket,
// and all targets up to it are reached. The header puts the address of the two "monitors" behind the queue's
// representation; here each is one byte that is never touched: its address is the key that its waiters sleep on.
// Invariant: a notifier has advanced the counter that the predicates read by a seq_cst read-modify-write, abort() its
// counter too; so nobody's predicate misses it (bough/detail/parking.h). BOUNDED_QUEUE.md has the protocol.

#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/concurrent_queue.h>

#include "bough/detail/parking.h"

namespace tbb::detail::r1 {
namespace {

constexpr std::size_t monitor_count = 2;
static_assert(d2::cbq_slots_avail_tag < monitor_count && d2::cbq_items_avail_tag < monitor_count);

const void* key_of(concurrent_monitor* monitors, std::size_t tag) {
    return reinterpret_cast<const char*>(monitors) + tag;
}

bool is_reached(std::uintptr_t target, std::uintptr_t ticket) {
    return static_cast<std::ptrdiff_t>(target) <= static_cast<std::ptrdiff_t>(ticket);
}

}  // namespace

std::uint8_t* allocate_bounded_queue_rep(std::size_t queue_rep_size) {
    return static_cast<std::uint8_t*>(cache_aligned_allocate(queue_rep_size + monitor_count));
}

void deallocate_bounded_queue_rep(std::uint8_t* mem, std::size_t) {
    cache_aligned_deallocate(mem);
}

// The predicate says whether to wait on; it throws user_abort once the queue has been aborted.
// No yield before the sleep: beside another program's threads each gives up a time slice (BOUNDED_QUEUE.md). A thread
// that was woken asks at once, outside of the list: it has acquired what its notifier changed.
void wait_bounded_queue_monitor(concurrent_monitor* monitors, std::size_t monitor_tag, std::ptrdiff_t target,
                                d1::delegate_base& predicate) {
    bool waits = true;
    do
        bough::detail::park(key_of(monitors, monitor_tag), static_cast<std::uintptr_t>(target), [&] {
            waits = predicate();
            return !waits;
        });
    while (waits && predicate());
}

void notify_bounded_queue_monitor(concurrent_monitor* monitors, std::size_t monitor_tag, std::size_t ticket) {
    bough::detail::unpark_matching(key_of(monitors, monitor_tag), is_reached, ticket);
}

void abort_bounded_queue_monitors(concurrent_monitor* monitors) {
    for (std::size_t tag = 0; tag < monitor_count; ++tag)
        bough::detail::unpark_all(key_of(monitors, tag));
}

}  // namespace tbb::detail::r1
