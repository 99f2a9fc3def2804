#include "worker/fibers.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "bough/detail/raise.h"
#include "bough/exports/fp_settings.h"
#include "running.h"
#include "worker/process_fork.h"
#include "worker/this_thread.h"
#include "worker/wait.h"
#include "worker/worker.h"

namespace bough {
namespace {

// Called on the stack to which the thread has changed. Does what the previous stack wanted done once it was left. Not
// inlined: the thread may be another one than before the change.
BOUGH_NOINLINE void arrived() {
    slot& s = *current_slot;
    auto* call = std::exchange(s.fibers.call, nullptr);
    if (!call)
        return;
    ++s.nesting;  // user code
    call(s.fibers.call_data, s.fibers.caller);
    --s.nesting;
}

// The bottom of a stack that was made here: the thread works until another stack may go on.
void run_fiber(void* data) {
    fiber& me = *static_cast<fiber*>(data);
    slot& s = me.home;
    checks::begin_frames();
    // Not the settings of the stack that was suspended.
    detail::set_fp_settings(s.home.fp_settings.load(std::memory_order_relaxed));
    arrived();
    const auto another_may = [&] {
        const slot_fibers& f = s.fibers;
        return f.has_resumed() ||
               std::any_of(f.waiting.begin(), f.waiting.end(), [](fiber* w) { return w->is_done(w->data); });
    };
    for (;;) {
        wait(s, until(s, another_may, [&] { sleep_in_arena(s, &s.fibers, another_may); }));
        if (fiber* next = s.fibers.take_ready()) {
            s.fibers.unused.push_back(&me);
            change_to(s, *next);
        }
    }
}

fiber& make_fiber(slot& s) {
    slot_fibers& f = s.fibers;
    f.made.push_back(std::make_unique<fiber>(s, process_crew().stack_size(), run_fiber));
    f.made.back()->isolation = s.home.tag;
    try {
        for (auto* list : {&f.waiting, &f.ready, &f.unused})
            list->reserve(f.made.size() + 1);  // from here on no list needs memory
    } catch (...) {
        f.made.pop_back();
        throw;
    }
    return *f.made.back();
}

}  // namespace

fiber& running_fiber(slot& s) {
    slot_fibers& f = s.fibers;
    if (f.are_none()) {
        f.own = std::make_unique<fiber>(s);
        f.running = f.own.get();
    }
    return *f.running;
}

fiber& next_of(slot& s) {
    slot_fibers& f = s.fibers;
    if (fiber* ready = f.take_ready())
        return *ready;
    if (!f.waiting.empty()) {
        // A stack that was left in a wait loop looks for work itself. It may replace a fresh stack only if it may take
        // everything.
        fiber* last = f.waiting.back();
        if (last->nesting == 0 && last->isolation == s.home.tag && !last->only_below) {
            f.waiting.pop_back();
            return *last;
        }
    }
    if (f.unused.empty())
        return make_fiber(s);
    fiber* again = f.unused.back();
    f.unused.pop_back();
    again->scope = nullptr;
    again->only_below = nullptr;
    again->fp_settings = 0;
    again->isolation = s.home.tag;
    again->executing = nullptr;
    again->nesting = again->nesting_at_process_fork = again->executing_at = 0;
    again->in_critical = false;
    again->came_back = nullptr;
    again->tree = {};
    return *again;
}

void change_to(slot& s, fiber& next) {
    check_not_inside_at_process_fork(s);
    fiber& me = *s.fibers.running;
    me.scope = std::exchange(s.scope, next.scope);
    me.only_below = std::exchange(s.only_below, next.only_below);
    me.fp_settings = std::exchange(s.fp_settings, next.fp_settings);
    me.isolation = std::exchange(s.isolation, next.isolation);
    me.executing = std::exchange(s.executing, next.executing);
    me.nesting = std::exchange(s.nesting, next.nesting);
    me.nesting_at_process_fork = std::exchange(s.nesting_at_process_fork, next.nesting_at_process_fork);
    me.executing_at = std::exchange(s.executing_at, next.executing_at);
    me.in_critical = std::exchange(s.in_critical, next.in_critical);
    me.came_back = std::exchange(s.came_back, next.came_back);
    me.tree = std::exchange(s.tree, next.tree);
    s.fibers.running = &next;
    {
        const checks::keep_frames its;
        machine::stack::change(me.stack, next.stack);
    }
    arrived();
}

void finish_stacks(slot& s) {
    const auto is_alone = [&] {
        const slot_fibers& f = s.fibers;
        // If another stack runs, this wait is asked while its own stack is in `waiting`.
        const std::size_t self = f.running == f.own.get() ? 0 : 1;
        return f.suspended == 0 && !f.has_resumed() && f.waiting.size() == self;
    };
    const only_below anything(s, nullptr);
    wait(s, until(s, is_alone, [&] { sleep_in_arena(s, &s.fibers, is_alone); }));
}

void leave_stacks_behind(slot& s) {
    const slot_fibers& f = s.fibers;
    if (!f.has_others() || s.came_back || f.running != f.own.get() || s.nesting != 0 ||
        s.isolation != s.home.tag || s.is_worker || !forget_slot(s))
        return;
    s.told.leave(false);
    leave_to_workers(s);
}

void leave_to_workers(slot& s) {
    arena& a = s.home;
    process_crew().keep(a);  // the worker may end the arena before this thread is done
    // Comes before abandon(): the worker that takes the slot counts it off. seq_cst: store-load pair with a worker that
    // goes to sleep, in any arena (slot_to_be_replaced_in).
    crew_limits.abandoned_slots.fetch_add(1, std::memory_order_seq_cst);
    a.abandon(s);
    process_crew().wake_sleepers();
    call_for_enqueued(a);
    process_crew().release(a);
}

// The worker's own stack takes the place, and the memory, of the own stack of the thread that left: stacks that wait
// here must not need memory to go on.
void take_over_stacks(slot& s) noexcept {
    fiber* const own = s.fibers.own.get();
    own->~fiber();
    s.fibers.running = new (own) fiber(s);
}

}  // namespace bough
