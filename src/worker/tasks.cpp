// Tasks: spawn, run, wait.

#include "bough/detail/task.h"

#include <new>
#include <utility>

#include "machine/clock.h"
#include "machine/pause.h"
#include "park/lot.h"
#include "steal/look_timer.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {

using detail::task_group_state;

namespace {

// task_group_state::pending: unfinished tasks times two, plus one while a waiter sleeps.
constexpr std::uint64_t one_task = 2;
constexpr std::uint64_t sleeper = 1;

void finish(task_group_state& g) {
    const void* key = &g.pending;
    // acq_rel: pairs with is_done() and with the other tasks' decrements. The group may be gone right after.
    const std::uint64_t before = g.pending.fetch_sub(one_task, std::memory_order_acq_rel);
    if (before == one_task + sleeper)
        process_lot().wake_all(key);
}

void sleep(slot& s, task_group_state& g) {
    std::uint64_t pending = g.pending.load(std::memory_order_acquire);
    // acq_rel: pairs with finish(): the last task sees the bit, or this thread sees that it is done.
    while (pending >= one_task &&
           !g.pending.compare_exchange_weak(pending, pending | sleeper, std::memory_order_acq_rel)) {
    }
    // Without the bit nobody would wake this thread: another waiter has taken it away.
    sleep_in_arena(s, &g.pending,
                   [&] { return g.is_done() || !(g.pending.load(std::memory_order_relaxed) & sleeper); });
}

void wait_for(slot& s, task_group_state& g) {
    const tuning& t = tuned();
    for (;;) {
        const machine::ticks since = machine::now();
        look_timer timer(since, 0, t.watch_most);
        for (;;) {
            if (g.is_done()) {
                // The bit goes, unless another thread has begun to use the group again.
                std::uint64_t only_the_bit = sleeper;
                g.pending.compare_exchange_strong(only_the_bit, 0, std::memory_order_relaxed);
                return;
            }
            const machine::ticks now = machine::now();
            if (run_own_task(s) || (timer.is_due(now) && look_and_take(s)))
                break;
            machine::pause();
            if (now - since > t.spin) {
                sleep(s, g);
                break;
            }
        }
    }
}

}  // namespace

void execute(slot& s, task& t) {
    task_group_state* g = t.group;
    if (!g)  // a proxy: it has its own way to the task
        return t.run(t, false);
    try {
        const in_user_code inside(s, g->node);
        t.run(t, g->node.is_stopped());
    } catch (...) {
        g->fail(std::current_exception());
    }
    finish(*g);
}

bool run_own_task(slot& s) {
    task* t = chase_lev::owner(s.queue).pop();
    if (!t && s.mail.has_mail())
        t = task_proxy::take(*s.mail.receive(), task_proxy::mailbox);
    else if (!t)
        return false;
    if (t)
        execute(s, *t);
    return true;
}

namespace {

bool spawn_as(slot& s, task& t, task& queued) {
    t.group->pending.fetch_add(one_task, std::memory_order_relaxed);
    try {
        chase_lev::owner(s.queue).push(queued);
    } catch (...) {
        execute(s, t);
        return false;
    }
    call_if_unwatched(s.home);
    return true;
}

}  // namespace

bool spawn_proxied(slot& s, task& t, task& proxy) {
    return spawn_as(s, t, proxy);
}

namespace detail {

void task_group_state::fail(std::exception_ptr e) noexcept {
    // acq_rel: one winner; the waiter reads `error` after the join.
    if (!failed.exchange(true, std::memory_order_acq_rel))
        error = std::move(e);
    node.stop();
}

void spawn(task& t) {
    spawn_as(this_slot(), t, t);
}

void run_here(task& t) {
    slot& s = this_slot();
    t.group->pending.fetch_add(one_task, std::memory_order_relaxed);
    execute(s, t);
}

void wait(task_group_state& group) noexcept {
    if (group.is_done())
        return;
    slot* s = current_slot;
    if (!s) {
        try {
            s = &attach();
        } catch (const std::bad_alloc&) {  // without a slot it can run nothing; others do
            while (!group.is_done())
                machine::yield();
            return;
        }
    }
    wait_for(*s, group);
}

const cancel_node* current_scope() noexcept {
    const slot* s = current_slot;
    return s ? s->scope : nullptr;
}

}  // namespace detail
}  // namespace bough
