// Threads that sleep, and the worker that may come meanwhile: a stand-in or a replacement worker. See crew.h.

#include "arena/slot.h"
#include "worker/crew.h"

namespace bough {

crew::stand_in::stand_in(slot& s) : counts_(is_outermost_wait(s)) {
    if (!counts_)
        return;
    // seq_cst, both: pairs with set_limit(). Either set_limit() sees this sleeper, or this thread sees its limit.
    crew_limits.sleeping.fetch_add(1, std::memory_order_seq_cst);
    if (crew_limits.limit.load(std::memory_order_seq_cst) != 1)
        return;
    crew& c = process_crew();
    std::unique_lock lock(c.mutex_);
    const woken one = c.grant();
    lock.unlock();
    one.wake();
}

crew::stand_in::~stand_in() {
    if (counts_)
        crew_limits.sleeping.fetch_sub(1, std::memory_order_relaxed);
}

crew::blocked_worker::blocked_worker(slot& its, bool is_called)
    : counted_in_(its.is_inside ? &its.home : nullptr), is_called_(is_called) {
    crew& c = process_crew();
    std::unique_lock lock(c.mutex_);
    crew_limits.active.fetch_sub(1, std::memory_order_relaxed);
    ++c.blocked_;
    c.not_called_ += is_called_ ? 0 : 1;
    const woken one = c.grant();
    c.note_workers();
    c.wake_lonely_waits();
    lock.unlock();
    one.wake();
    if (arena* a = counted_in_)
        a->watch.begin_blocking([=] { return a->has_published_work(); }, [&] { c.request(*a, 1); });
}

crew::blocked_worker::~blocked_worker() {
    if (counted_in_)
        counted_in_->watch.end_blocking();
    crew& c = process_crew();
    const std::lock_guard lock(c.mutex_);
    crew_limits.active.fetch_add(1, std::memory_order_relaxed);
    --c.blocked_;
    c.not_called_ -= is_called_ ? 0 : 1;
    c.note_workers();
}

std::uint64_t crew::ask_before_sleep() {
    // relaxed: a thread that misses it sees it in the list of sleepers (should_have_asked), or is woken.
    if (!crew_limits.start_failed.load(std::memory_order_relaxed))
        return parking_lot::forever;
    std::unique_lock lock(mutex_);
    const woken one = grant();
    lock.unlock();
    one.wake();
    return rest_after_refusal_ns;
}

}  // namespace bough
