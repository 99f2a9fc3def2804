#include "entry/visit.h"

#include "entry/run_enqueued.h"
#include "worker/fibers.h"
#include "worker/worker.h"

namespace bough {

visit::visit(slot& seat) : outer_(std::exchange(current_slot, &seat)), seat_(seat), bound_(seat.home.cpus) {
    seat_.visited_from = outer_;
    // A task's settings stay with it; a thread that comes from outside keeps its own till it waits or loops.
    if (outer_ && outer_->fp_settings != 0)
        fp_.emplace(seat);
    seat_.told.look(seat_.home.observers, false);
}

visit::~visit() {
    seat_.told.leave(false);
    fp_.reset();
    seat_.visited_from = nullptr;
    current_slot = outer_;
    give_seat_back(seat_);
    leave_if_stacks_are_left();               // what a return visit could not do
    run_enqueued_if_nobody_will(seat_.home);  // whose poster found no seat
}

return_visit::return_visit(slot& seat) : outer_(std::exchange(current_slot, &seat)), seat_(seat) {
    for (slot* s = outer_; s != &seat_; s = s->visited_from)
        local_queue::owner(s->queue).stand_up();
    ++seat_.return_visits;
}

// In the order in which the thread sat down at first: the outermost lets the signal in, and blocks it again.
static void sit_down_below(const slot& seat, slot* s) {
    if (s == &seat)
        return;
    sit_down_below(seat, s->visited_from);
    local_queue::owner(s->queue).sit_down();
}

return_visit::~return_visit() {
    --seat_.return_visits;
    sit_down_below(seat_, outer_);
    current_slot = outer_;
}

slot* own_seat_in(const arena& a) {
    slot* s = current_slot;
    while (s && &s->home != &a)
        s = s->visited_from;
    return s;
}

}  // namespace bough
