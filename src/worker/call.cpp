#include "machine/futex.h"
#include "park/parking_lot.h"
#include "worker/crew.h"
#include "worker/fibers.h"
#include "worker/worker.h"

namespace bough {

unsigned workers_allowed(const arena& a, unsigned blocked, unsigned stand_ins) {
    // A stand-in may use the spare slot of an application thread's own arena.
    const unsigned slots = (a.worker_slots() == 0 && a.is_default ? stand_ins : a.worker_slots()) +
                           a.application_slots_of_workers.load(std::memory_order_relaxed);
    return std::min(slots - std::min(slots, blocked), crew_limits.workers_allowed(stand_ins));
}

static void wake_helpers(arena& a, std::size_t workers = 1) {
    process_parking_lot().wake_at(&a);
    process_crew().request(a, workers);
}

BOUGH_COLD void call(arena& a, std::size_t workers) {
    switch (a.watch.alarm.answer()) {
    case alarm_state::quiet:  // another thread is calling
        return;
    case alarm_state::asleep:
        return process_parking_lot().wake_at(&a);
    case alarm_state::raised:
        return wake_helpers(a, workers);
    }
}

void call_for_enqueued(arena& a) {
    a.watch.alarm.answer();
    wake_helpers(a);
}

void nap(unsigned ns) {
    static const std::atomic<std::uint32_t> never{0};
    machine::futex_wait_for(never, 0, ns);
}

void give_slot_back(slot& s) {
    if (s.fibers.has_others())
        return leave_to_workers(s);
    arena& a = s.home;
    const bool workers_slot = s.index >= a.application_slots();
    a.give_back(s);
    // Scenario: a worker came for what is enqueued, found no slot, and went. seq_cst in give_back, take and is_empty:
    // either the worker saw this slot free, or this thread sees what the worker came for. Every poster asks the crew,
    // so no alarm is needed.
    if (a.lends_slots() && !a.has_spare_slot() && !a.enqueued.is_empty())
        return call_for_enqueued(a);
    // With a watcher there is nothing to do: the watcher looks again, or calls when it stops.
    if (!workers_slot || a.watch.is_watched())
        return;
    // Scenario: a worker was sent here, found every slot taken, and went. seq_cst in give_back and take: either the
    // worker saw this slot free, or this thread looks after the worker did.
    a.watch.alarm.raise();
    if (a.has_published_work())
        call(a);
}

}  // namespace bough
