#include "entry/run_enqueued.h"

#include <new>
#include <optional>

#include "entry/visit.h"
#include "worker/fibers.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {
namespace {

thread_local unsigned calls = 0;  // of run_enqueued that this thread is in
constexpr unsigned most_calls = 16;

// After a function that was suspended this may be another thread: the address must not be kept.
BOUGH_NOINLINE unsigned calls_here() noexcept {
    return calls;
}
BOUGH_NOINLINE void set_calls_here(unsigned n) noexcept {
    calls = n;
}

// A worker's seat, which nobody needs as much, first of all; null when there is none.
slot* free_seat_in(arena& a) noexcept try {
    slot* s = a.take_worker_seat();
    if (!s)
        return a.take_master_seat();
    s->is_worker = false;
    s->isolation = a.tag;
    return s;
} catch (const std::bad_alloc&) {
    return nullptr;
}

void run_all(slot& s) noexcept {
    while (task* const t = s.home.enqueued.take(0))
        execute(s, *t);
}

// From a seat that the thread has there already, or from a free one.
void run_all_in(arena& a) noexcept {
    while (a.enqueued.has_tasks()) {
        slot* const own = own_seat_in(a);
        if (own && own == current_slot) {
            run_all(*own);
        } else if (own) {
            const return_visit inside(*own);
            run_all(*own);
        } else if (slot* const seat = free_seat_in(a)) {
            const visit inside(*seat);
            run_all(*seat);
        } else {
            return;
        }
    }
}

}  // namespace

void run_enqueued(arena& a) noexcept {
    const unsigned outer = calls_here();
    // seq_cst, after a seat was given back: whoever posted saw that seat free, or its task is seen here. What is left at the
    // greatest depth was asked for: an outer call finds it in the crew's list.
    if (outer == most_calls || a.enqueued.is_empty())
        return;
    set_calls_here(outer + 1);
    process_crew().keep(a);  // a function may end its own arena
    for (arena* next = &a; next; next = process_crew().take_over_enqueued()) {
        run_all_in(*next);
        process_crew().release(*next);
    }
    leave_if_stacks_are_left();
    set_calls_here(outer);
}

}  // namespace bough
