#include "entry/visit.h"

#include "arena/own_slots.h"
#include "entry/run_enqueued.h"
#include "worker/mail_tasks.h"
#include "worker/rare.h"
#include "worker/worker.h"

namespace bough {

visit::visit(slot& s) : outer_(std::exchange(current_slot, &s)), slot_(s) {
    bound_.emplace(s.home.cpus);
    slot_.visited_from = outer_;
    fp_.emplace(s);
    begin_mail_round(s);
    slot_.told.look(slot_.home.observers, false);
}

visit::~visit() {
    slot_.told.leave(false);
    fp_.reset();
    bound_.reset();
    slot_.visited_from = nullptr;
    current_slot = outer_;
    give_slot_back(slot_);
    rare::after_wait();                       // a return visit could not leave stacks behind
    run_enqueued_if_nobody_will(slot_.home);  // tasks whose poster found no free slot
}

// ---- the chain of a visitor's slots: the slot, the slot from which the visitor came, and so on ----

static bool is_at_or_above(const slot* s, const slot* wanted) {
    while (s && s != wanted)
        s = s->visited_from;
    return s != nullptr;
}

// The visitor gives up the queues of its slots, the innermost slot s first. It stops at a slot that is on the chain of
// `common` too.
static void stand_up_below(const slot* common, slot* s) {
    for (; s && !is_at_or_above(common, s); s = s->visited_from)
        s->queue.end_owning();
}

// The visitor owns these queues again. The outermost slot comes first, as when the thread first sat down: the queue of
// the outermost slot lets the exposure signal in at the beginning, and blocks it again at the end.
static void sit_down_below(const slot* common, slot* s) {
    if (!s || is_at_or_above(common, s))
        return;
    sit_down_below(common, s->visited_from);
    s->queue.begin_owning();
}

return_visit::return_visit(slot& s)
    : outer_(std::exchange(current_slot, &s)), slot_(s), here_{outer_, innermost_way_back(outer_)},
      before_(std::exchange(s.came_back, &here_)) {
    stand_up_below(&slot_, outer_);
    sit_down_below(outer_, &slot_);
    fp_.emplace(slot_);
}

return_visit::~return_visit() {
    fp_.reset();
    slot_.came_back = before_;
    stand_up_below(outer_, &slot_);
    sit_down_below(&slot_, outer_);
    current_slot = outer_;
}

slot* own_slot_in(const arena& a) {
    return find_own_slot(current_slot, [&](const slot& s) { return &s.home == &a; });
}

}  // namespace bough
