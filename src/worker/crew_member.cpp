// The life of a worker: it goes from arena to arena, sits in a slot in each, and parks in between. See crew.h.

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "machine/affinity.h"
#include "machine/futex.h"
#include "machine/thread.h"
#include "machine/topology.h"
#include "park/parking_lot.h"
#include "profile/tuning.h"
#include "worker/crew.h"
#include "worker/fibers.h"
#include "worker/process_fork.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {

// Some worker that has time: it takes 3 ms and more, so no loop waits for it. On two CPUs there is nothing to know.
static void read_topology_once() {
    static std::atomic<bool> is_taken{false};
    constexpr unsigned few = 2;
    if (tuned().cpus > few && !is_taken.load(std::memory_order_relaxed) &&
        !is_taken.exchange(true, std::memory_order_relaxed)) {
        try {
            machine::read_topology();
        } catch (const std::bad_alloc&) {  // all CPUs are taken to be equally near
        }
    }
}

// Programs that never pause have no worker that has time. So the last one of a large crew reads it before it comes: the
// others have the work meanwhile.
static bool is_the_last_of_many(unsigned number) {
    constexpr unsigned many = 8;
    return number + 1 == tuned().threads && number >= many;
}

// The arena that the worker goes to next; null: the worker shall end.
arena* crew::next_arena(worker& w) {
    if (w.wake.load(std::memory_order_relaxed) == 0) {
        read_topology_once();
        w.cpu = machine::current_cpu();
        std::unique_lock lock(mutex_);
        crew_limits.active.fetch_sub(1, std::memory_order_relaxed);
        if (crew_limits.dismissing.load(std::memory_order_relaxed))
            return nullptr;
        if (arena* a = next_request()) {
            w.assigned = a;
            note_requests();
        } else {
            parked_.push_back(&w);
            wake_lonely_waits();
            lock.unlock();
            count(event::parked);
            // acquire: pairs with woken::wake() and with dismiss().
            while (w.wake.load(std::memory_order_acquire) == 0)
                machine::futex_wait(w.wake, 0);
        }
    }
    w.wake.store(0, std::memory_order_relaxed);
    for (worker* const other : std::exchange(w.wakes, {}))
        if (other)
            wake(*other);
    // relaxed: the thread that woke this worker had set it before.
    if (crew_limits.requests.highest() != 0)
        spread();
    return w.assigned;
}

// A worker on its way to work starts the next two.
void crew::spread() {
    std::unique_lock lock = lock_soon();
    const woken two = grant(2, starter::worker);
    lock.unlock();
    two.wake();
}

// Takes a slot for this worker: an abandoned one first; null if none is free. Throws std::bad_alloc.
static slot* slot_in(arena& a) {
    slot* abandoned = a.take_abandoned_slot();
    if (!abandoned)
        return a.take_worker_slot();
    crew_limits.abandoned_slots.fetch_sub(1, std::memory_order_relaxed);
    if (a.has_abandoned_slot())
        call_for_enqueued(a);  // asks for another worker for the next abandoned slot
    abandoned->is_worker = true;
    abandoned->is_lent = false;
    abandoned->isolation = 0;
    abandoned->only_below = nullptr;
    return abandoned;
}

// The same. Without memory the worker tries again while the arena has work: the call was for that work, and perhaps no
// other thread will ever look at what is enqueued. Null also if the work was gone before there was memory.
static slot* slot_or_nothing_to_do(arena& a) {
    for (;;) {
        try {
            return slot_in(a);
        } catch (const std::bad_alloc&) {
            a.watch.alarm.raise();
            if (!a.has_published_work())
                return nullptr;
            nap();
        }
    }
}

static void sit_down(slot& s) noexcept {
    if (s.fibers.has_others())
        take_over_stacks(s);
    current_slot = &s;
}

void* crew::run(void* data) {
    const std::unique_ptr<worker> self(static_cast<worker*>(data));
    worker& w = *self;
    machine::name_this_thread(w.number);
    if (process_tuning().pin)
        machine::pin_this_thread(w.number);
    if (is_the_last_of_many(w.number))
        read_topology_once();
    while (arena* a = process_crew().next_arena(w)) {
        do {
            slot* s = slot_or_nothing_to_do(*a);
            if (!s)
                break;
            const unsigned of_application = s->index < a->application_slots() && !s->is_lent ? 1 : 0;
            a->application_slots_of_workers.fetch_add(of_application, std::memory_order_relaxed);
            sit_down(*s);
            s->victims.forget();
            serve(*s);
            current_slot = nullptr;
            a->application_slots_of_workers.fetch_sub(of_application, std::memory_order_relaxed);
            give_slot_back(*s);
        } while (a->has_abandoned_slot());
        process_crew().release(*a);
    }
    process_crew().note_end();
    return nullptr;
}

void crew::note_end() {
    std::unique_lock lock(mutex_);
    if (crew_limits.started.fetch_sub(1, std::memory_order_relaxed) == 1)
        ended_.notify_all();
    note_workers();
    // Serves a request that was made while this worker might still have come back for it.
    const woken one = grant();
    lock.unlock();
    one.wake();
}

}  // namespace bough
