// The end of all workers: crew::dismiss().

#include <chrono>

#include "worker/crew.h"
#include "worker/racy.h"
#include "worker/worker.h"

namespace bough {

// Is a worker in user code, or does it sleep over stacks that were suspended there? Either may take any time.
bool crew::is_at_work() const {
    bool some = blocked_ != 0;
    for (arena* a : arenas_)
        a->each_slot(
            [&](const slot& s) { some |= has_worker(s) && (nesting_of(s) != 0 || suspended_in(s) != 0); });
    return some;
}

// Drops the requests of arenas that have nothing to do any more. Such a request would start a worker again right after
// the last one has ended.
void crew::drop_idle_requests() {
    for (arena *a = first_request_, *next; a; a = next) {
        next = a->record.next;
        a->watch.alarm.raise();  // before the look: a thread that publishes later asks again
        // Without references: release() has left the arena to a worker, so its request stays. A channel that is open
        // over nothing is no reason to start one: its thread, outside of bough, may leave it so for ever. (A task that
        // is pushed there at this moment may be missed. Its thread runs it, or asks for help at its next poll.)
        if (a->record.references != 0 && !a->has_published_work({.open = false}))
            drop_request(*a);
    }
    note_requests();
}

bool crew::dismiss() {
    // Gives 1 s to workers that are at work. The others are on their way out, which a crowded machine may delay. `end`
    // is the limit for workers that each look sees between one function and the next.
    constexpr std::chrono::milliseconds between_looks{100};
    constexpr unsigned most_busy_looks = 10;
    const auto end = std::chrono::steady_clock::now() + 10 * most_busy_looks * between_looks;
    std::unique_lock lock(mutex_);
    if (crew_limits.dismissing.exchange(true, std::memory_order_relaxed))
        return false;
    for (worker* w : parked_) {
        w->assigned = nullptr;
        let_go_on(*w);
    }
    parked_.clear();
    rouse_watchers();
    bool all_ended = false;
    for (unsigned busy = 0; !all_ended && busy < most_busy_looks && std::chrono::steady_clock::now() < end;) {
        all_ended = ended_.wait_for(lock, between_looks,
                                    [] { return crew_limits.started.load(std::memory_order_relaxed) == 0; });
        busy = is_at_work() ? busy + 1 : 0;
    }
    crew_limits.dismissing.store(false, std::memory_order_relaxed);
    refused_at_ = 0;
    crew_limits.start_failed.store(false, std::memory_order_relaxed);
    note_workers();
    if (all_ended)
        drop_idle_requests();
    const woken one = grant();
    lock.unlock();
    one.wake();
    return all_ended;
}

}  // namespace bough
