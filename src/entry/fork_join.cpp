// Fork-join calls: the tasks are spawned and joined in one function. A task that no thief takes costs a push without a
// locked operation, and a pop with one (two for the last task of the queue). The group's count is not touched: it
// begins with the number of forks, and ends with the caller's frame.

#include "bough/detail/fork.h"

#include <utility>

#include "balancing.h"
#include "bough/context.h"
#include "bough/detail/raise.h"
#include "bough/exports/fp_settings.h"
#include "bough/exports/termination.h"
#include "running.h"
#include "worker/arena_fp_scope.h"
#include "worker/mail_tasks.h"
#include "worker/nesting.h"
#include "worker/publish.h"
#include "worker/rare.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough::detail {

namespace {

void fork_in(slot& s, task& t) {
    t.isolation = s.isolation;
    if (!publish(s, t))
        execute(s, t);
}

// Undoes what open_forks() did with more than a few stores: floating-point settings, and the user's context.
void restore(fork_group& g) noexcept {
    if (g.outer_fp_settings != 0)
        set_fp_settings(g.outer_fp_settings);
    if (g.context)
        g.context->unbind(g.node);
}

// The thread is no longer inside the group's calls.
void go_back(slot_view& v, const fork_group& g) noexcept {
    v.scope = g.outer;
    --v.nesting;
}

}  // namespace

void open_forks(fork_group& g, task& last) {
    slot& s = this_slot();
    check_nesting(s);
    g.home = &s;
    g.fp_settings = s.fp_settings;
    g.outer = s.scope;
    if (g.context) [[unlikely]]
        g.context->bind(g.node, s.scope);
    else
        g.node.put_below(s.scope);
    s.scope = &g.node;
    if (s.nesting++ == 0 && !s.is_worker)
        g.outer_fp_settings = arena_fp_scope::enter(s);  // the calls compute as the arena does
    fork_in(s, last);
}

void fork(fork_group& g, task& t) {
    fork_in(static_cast<slot&>(*g.home), t);
}

bool take_back(fork_group& g, task& t) noexcept {
    slot& s = static_cast<slot&>(*g.home);
    if (s.home.critical.has_tasks() || !local_queue::owner(s.queue).pop(t))
        return false;
    balancing::begin_own_task(s);
    count(s.counted, event::executed);  // the caller calls it in place
    return true;
}

void drop_forks(fork_group& g) noexcept {
    if (detail::terminates_on_exception())
        std::terminate();
    g.fail(std::current_exception());
}

void join_forks(fork_group& g, unsigned called) {
    const checks::inside_call here("parallel_invoke", &g.node);
    // relaxed: this thread itself made the calls that it counts off.
    g.pending.fetch_sub(std::uint64_t{2} * called, std::memory_order_relaxed);
    go_back(*g.home, g);
    wait(g);
    restore(g);
    if (!g.error)
        return;
    if (g.context)
        g.context->cancel_group_execution();
    raise_again(std::move(g.error));
}

void leave_forks(fork_group& g) noexcept {
    restore(g);
    if (g.home->nesting != 0)
        return;
    slot& s = static_cast<slot&>(*g.home);
    end_outermost_tree(s);
    // As after any wait: this may have been the thread's outermost call, and stacks that the calls suspended may be
    // left in the slot.
    rare::after_wait(s);
}

}  // namespace bough::detail
