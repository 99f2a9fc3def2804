#include "park/lot.h"
#include "worker/crew.h"
#include "worker/worker.h"

namespace bough {

unsigned workers_allowed(const arena& a) { return std::min(a.worker_seats(), crew_limits.workers_allowed()); }

BOUGH_COLD void call(arena& a) {
    if (!a.bell.answer())
        return;  // somebody else is calling
    process_lot().wake_at(&a);
    process_crew().request(a, 1);
}

BOUGH_COLD void call_all(arena& a) {
    const unsigned inside = a.workers_inside.load(std::memory_order_relaxed), allowed = workers_allowed(a);
    if (inside < allowed)
        process_crew().request(a, allowed - inside);
}

}  // namespace bough
