// Suspends tasks and resumes them.

#include "bough/exports/resumable.h"

#include "bough/detail/raise.h"
#include "worker/crew.h"
#include "worker/fibers.h"
#include "worker/this_thread.h"

namespace bough {

namespace detail {

void suspend(void (*call)(void*, suspend_point), void* data) {
    slot& s = this_slot();
    fiber& me = or_terminate([&s]() -> fiber& { return running_fiber(s); });
    fiber& next = or_terminate([&s]() -> fiber& { return next_of(s); });
    slot_fibers& f = s.fibers;
    f.call = call;
    f.call_data = data;
    f.caller = &me;
    ++f.suspended;
    change_to(s, next);
}

}  // namespace detail

void resume(suspend_point point) noexcept {
    slot& s = point->home;
    arena& a = s.home;
    process_crew().keep(a);  // the resumed task may end the arena before this thread is done
    s.fibers.resume(*point);
    process_parking_lot().wake_at(&a);
    process_crew().release(a);
}

suspend_point current_suspend_point() {
    return &running_fiber(this_slot());
}

}  // namespace bough
