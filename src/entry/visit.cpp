#include "entry/visit.h"

#include "arena/own_seats.h"
#include "entry/run_enqueued.h"
#include "worker/rare.h"
#include "worker/worker.h"

namespace bough {

visit::visit(slot& seat) : outer_(std::exchange(current_slot, &seat)), seat_(seat) {
    bound_.emplace(seat.home.cpus);
    seat_.visited_from = outer_;
    fp_.emplace(seat);
    seat_.told.look(seat_.home.observers, false);
}

visit::~visit() {
    seat_.told.leave(false);
    fp_.reset();
    bound_.reset();
    seat_.visited_from = nullptr;
    current_slot = outer_;
    give_seat_back(seat_);
    rare::after_wait();                       // what a return visit could not do
    run_enqueued_if_nobody_will(seat_.home);  // whose poster found no seat
}

// ---- seats further up: a slot, where its visitor sat before, and so on ----

static bool is_at_or_above(const slot* s, const slot* wanted) {
    while (s && s != wanted)
        s = s->visited_from;
    return s != nullptr;
}

// Of a visitor, from the innermost slot on.
static void stand_up_below(const slot* common, slot* s) {
    for (; s && !is_at_or_above(common, s); s = s->visited_from)
        s->queue.end_owning();
}

// In the order in which the thread sat down at first: the outermost lets the signal in, and blocks it again.
static void sit_down_below(const slot* common, slot* s) {
    if (!s || is_at_or_above(common, s))
        return;
    sit_down_below(common, s->visited_from);
    s->queue.begin_owning();
}

return_visit::return_visit(slot& seat)
    : outer_(std::exchange(current_slot, &seat)), seat_(seat), here_{outer_, innermost_way_back(outer_)},
      before_(std::exchange(seat.came_back, &here_)) {
    stand_up_below(&seat_, outer_);
    sit_down_below(outer_, &seat_);
    fp_.emplace(seat_);
}

return_visit::~return_visit() {
    fp_.reset();
    seat_.came_back = before_;
    stand_up_below(outer_, &seat_);
    sit_down_below(&seat_, outer_);
    current_slot = outer_;
}

slot* own_seat_in(const arena& a) {
    return find_own_seat(current_slot, [&](const slot& s) { return &s.home == &a; });
}

}  // namespace bough
