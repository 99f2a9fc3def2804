#include "worker/lend.h"

#include <new>

#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {

const void* lenders() {
    static const char place = 0;
    return &place;
}

loan::loan(slot& own) : own_(own), arena_(may_lend(own) ? process_crew().borrow() : nullptr) {
    if (!arena_)
        return;
    try {
        seat_ = arena_->take_helper_seat();
    } catch (const std::bad_alloc&) {  // it goes without
    }
    if (!seat_)
        return;
    current_slot = seat_;
    seat_->told.look(arena_->observers, false);
}

loan::~loan() {
    if (!arena_)
        return;
    if (seat_) {
        seat_->told.leave(false);
        current_slot = &own_;
        arena_->give_back(*seat_);
    }
    // The request was taken off: who publishes next asks again, and what is left is asked for here.
    arena_->bell.raise();
    if (arena_->has_published_work())
        call(*arena_);
    process_crew().release(*arena_);
}

bool loan::run_one() {
    return seat_ && (run_own_task(*seat_) || look_and_take(*seat_));
}

}  // namespace bough
