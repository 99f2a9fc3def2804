// Runs what was found. Only here does a thread leave idleness.

#include <utility>

#include "balancing.h"
#include "worker/mail_tasks.h"
#include "worker/work_off.h"
#include "worker/worker.h"

namespace bough {
namespace {

// A worker that was handed an interval of a loop stays marked as idle until it has worked for as long as a gate: the
// next loop will find it there.
void leave_idleness(slot& s, const found& f) {
    stop_watching(s);
    if (!f.is(found::kind::handed) || f.work().whole)
        mark_busy(s);
}

void run_handed_task(slot& s, task& t, const std::optional<mail_round>& round) {
    // What t spawns goes where it would go in the thread that handed t off.
    const tree_here before = std::exchange(s.tree, round ? tree_of_round(s, *round)
                                                         : tree_here{.tasks_go = spawning::to_idle_workers});
    execute_taken(s, t);
    s.tree = before;
}

void run_mailed(slot& s, task& t) {
    const tree_here before = std::exchange(s.tree, tree_of_round(s, std::exchange(s.received_round, {})));
    execute(s, t);
    s.tree = before;
}

void run_critical(slot& s, task& t) {
    const bool outer = std::exchange(s.in_critical, true);
    execute(s, t);
    s.in_critical = outer;
}

void run_enqueued(slot& s, task& t) {
    arena& a = s.home;
    execute(s, t);
    if (a.is_spare_slot(s.index))  // find_enqueued_task() has counted it
        a.enqueued_running.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace

void run_at_work(slot& s, found&& f) {
    using kind = found::kind;
    const assignment& a = f.work();
    note(s.counted, activity::working);
    balancing::begin_work(s);
    switch (f.consume()) {
    case kind::handed:
    case kind::taken_back:
        s.last_was_task = a.whole != nullptr;
        return a.whole ? run_handed_task(s, *a.whole, round_of(a)) : help(s, a);
    case kind::interval:
        s.last_was_task = false;
        return help(s, a);
    case kind::stolen_task:
        s.last_was_task = true;
        balancing::begin_task(s);
        return execute_taken(s, *a.whole);
    case kind::critical_task:
        return run_critical(s, *a.whole);
    case kind::enqueued_task:
        return run_enqueued(s, *a.whole);
    case kind::mailed_task:
        return run_mailed(s, *a.whole);
    case kind::own_task:
        balancing::begin_task(s);
        return execute(s, *a.whole);
    case kind::nothing:
        return;
    }
}

void run(slot& s, found&& f) {
    // A thread that finds its own task, or takes back what it handed off, waits inside a call: it is not idle.
    if (!f.is(found::kind::taken_back) && !f.is(found::kind::own_task) && !f.is(found::kind::mailed_task))
        leave_idleness(s, f);
    run_at_work(s, std::move(f));
}

}  // namespace bough
