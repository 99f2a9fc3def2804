#include "entry/run_enqueued.h"

#include <atomic>
#include <new>
#include <optional>
#include <utility>

#include "entry/visit.h"
#include "machine/stack.h"
#include "running.h"
#include "worker/arena_fp_scope.h"
#include "worker/rare.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {
namespace {

// How often a thread left enqueued tasks to an outer call of run_enqueued().
std::atomic<unsigned> left{0};

// After a function that was suspended, another thread may run this stack. So the compiler must not keep addresses of
// thread-local variables over such a call, and these functions are not inlined.
BOUGH_NOINLINE bool sits_innermost_in(const slot& s) {
    return current_slot == &s;
}
BOUGH_NOINLINE void leave_stacks_here() {
    rare::after_wait();
}

// Takes a free slot, a worker's slot first, as no worker needs it now. Null: no slot is free, or there is no memory.
slot* free_slot_in(arena& a) noexcept try {
    slot* s = a.take_worker_slot();
    if (!s)
        return a.take_application_slot();
    s->is_worker = s->is_lent = false;
    s->isolation = a.tag;
    return s;
} catch (const std::bad_alloc&) {
    return nullptr;
}

void run_all(slot& s) noexcept {
    while (found f = find_enqueued_task(s))
        run_at_work(s, std::move(f));
}

// Runs what is enqueued, from a slot that the thread has in the arena already, or else from a free one. In a free slot
// the thread also runs what the functions spawned there, as a worker would.
void run_all_in(arena& a) noexcept {
    while (a.enqueued.has_tasks()) {
        slot* const own = own_slot_in(a);
        if (own && sits_innermost_in(*own)) {
            const as_arena_computes settings(*own);
            run_all(*own);
        } else if (own) {
            const return_visit inside(*own);
            run_all(*own);
        } else if (slot* const free = free_slot_in(a)) {
            const visit inside(*free);
            do
                run_all(*free);
            while (run_queued_task(*free));
        } else {
            return;
        }
    }
}

void run_what_was_left() noexcept {
    while (arena* const a = process_crew().take_over_enqueued()) {
        run_all_in(*a);
        process_crew().release(*a);
    }
}

// Must the thread leave the tasks to an outer call? Only if there is one on this stack: it runs what is left to it.
bool is_too_deep() noexcept {
    const auto [rest, size] = machine::stack::here();
    const unsigned calls = machine::stack::calls_here();
    return calls != 0 && (rest < size / 4 || calls >= machine::stack::most_calls());
}

class call_on_stack {
public:
    call_on_stack() noexcept { machine::stack::enter_call(); }
    ~call_on_stack() { machine::stack::leave_call(); }
    call_on_stack(const call_on_stack&) = delete;
    call_on_stack& operator=(const call_on_stack&) = delete;
};

}  // namespace

void run_enqueued(arena& a) noexcept {
    // seq_cst, after this thread gave a slot back: the thread that posted a task sees that slot free, or this thread
    // sees the task.
    if (a.enqueued.is_empty())
        return;
    if (is_too_deep()) {
        left.fetch_add(1, std::memory_order_relaxed);  // the crew's list has a request for it
        return;
    }
    const checks::inside_call here("task_arena::enqueue");
    {
        const call_on_stack outer;
        const unsigned left_before = left.load(std::memory_order_relaxed);
        process_crew().keep(a);  // an enqueued function may end its own arena
        run_all_in(a);
        process_crew().release(a);
        if (left.load(std::memory_order_relaxed) != left_before)
            run_what_was_left();
    }
    leave_stacks_here();
}

void run_enqueued_everywhere() noexcept {
    const checks::inside_call here("the end of the workers");
    {
        const call_on_stack outer;
        run_what_was_left();
    }
    leave_stacks_here();
}

}  // namespace bough
