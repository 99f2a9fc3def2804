#include "worker/leaving.h"

#include "worker/crew.h"
#include "worker/worker.h"

namespace bough {

namespace leaving {

// relaxed, unless a comment says otherwise: a worker that reads an old value asks again soon. Before it goes it is
// counted off (seq_cst), and reads once more.
snapshot read(const slot& s, announced has, bool is_requested_elsewhere) {
    const arena& a = s.home;
    const unsigned stand_ins = crew_limits.stand_ins();
    // seq_cst: of several workers that are counted off at once, the last one sees that it is the last.
    const unsigned inside = a.watch.workers().inside;
    const unsigned counted = s.is_inside && has == announced::no ? 1 : 0;
    return {
        .is_in_lent_slot = s.is_lent,
        .stands_in = a.is_default && stand_ins != 0,
        .is_requested_elsewhere = is_requested_elsewhere,
        .is_abandoned = a.is_abandoned.load(std::memory_order_relaxed),
        .is_slot_awaited = a.workers_should_make_room(),
        .has_spare_slot = a.has_spare_slot(),
        .has_abandoned_slot = a.has_abandoned_slot(),
        .has_enqueued = a.enqueued.has_tasks(),
        .others = inside - counted,
        .active = crew_limits.active.load(std::memory_order_relaxed),
        .allowed = crew_limits.workers_allowed(stand_ins),
        .is_dismissing = crew_limits.dismissing.load(std::memory_order_relaxed),
        .is_requested_higher = crew_limits.is_requested_higher(a),
        .is_turn_over = s.is_turn_over,
    };
}

}  // namespace leaving

bool takes_nothing_new(const slot& s) {
    // A worker that waits inside user code cannot leave, and goes on helping. In an abandoned arena no limit keeps
    // workers from the work that is left: a worker over suspended stacks may wait for it, and cannot leave either.
    if (!s.is_worker || s.nesting != 0 || s.home.is_abandoned.load(std::memory_order_relaxed))
        return false;
    const leaving::snapshot read = leaving::read(s, leaving::announced::no, false);
    return leaving::decide(limits_alone(read)).takes != leaving::takes::everything;
}

}  // namespace bough
