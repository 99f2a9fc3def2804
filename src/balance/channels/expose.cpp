// Makes tasks public that their thread would keep from others: before a long task, for workers that are away, and when
// the thread sleeps or leaves. README.md, "Exposed".

#include <algorithm>
#include <utility>

#include "balancing.h"
#include "worker/crew.h"
#include "worker/worker.h"

namespace bough::balancing {
namespace {

// Where the tasks end that are older than the pieces of each of the thread's loops. Others stay behind these: a thread
// that took such a task could wait in it for a piece.
queue_index end_of_older(slot& s) {
    const std::uint16_t depth = s.used_parts();
    for (std::uint16_t d = 0; d < depth; ++d)
        if (loop_part& p = s.part(d); p.remaining() != 0)
            return p.older_tasks_end.load(std::memory_order_relaxed);
    return s.queue.next_place();
}

// The oldest task, to where any thread may take it. False: no memory, and nothing is done.
bool expose_oldest(slot& s) {
    local_queue::owner own(s.queue);
    if (!s.isolated.push(*own.take_oldest(1), 0)) {
        own.put_back(1);
        return false;
    }
    bough::count(s.counted, event::exposed);
    return true;
}

// Other threads have said that the tasks are long: was the thread's last one?
void judge_own_task(slot& s) {
    const machine::ticks now = machine::now();
    const machine::ticks began = std::exchange(s.balance.began_at, now);
    if (began != 0 && now - began < short_task(s))
        s.balance.has_long_tasks = false;
}

// How many tasks others may want before this thread comes back to expose more. Long tasks end at all times while it
// runs one: of as many tasks as threads half the threads waited for its next turn.
unsigned wanted_by_others(slot& s) {
    if (s.balance.has_long_tasks)
        return 2 * s.home.concurrency();
    const watch::present here = s.home.watch.workers();
    const unsigned allowed = workers_allowed(s.home, here.blocked, crew_limits.stand_ins());
    return allowed - std::min(allowed, here.inside);
}

slot* slot_of(arena& home, const channel_queue& q) {
    slot* its = nullptr;
    home.each_slot([&](slot& s) {
        if (&s.queue == &q)
            its = &s;
    });
    return its;
}

}  // namespace

BOUGH_NOINLINE void expose_some(slot& s) {
    if (s.balance.has_long_tasks)
        judge_own_task(s);
    const unsigned most = wanted_by_others(s);
    const queue_index end = end_of_older(s);
    bool has_exposed = false;
    while (s.queue.has_tasks() && s.queue.oldest_place() < end && s.isolated.size() < most &&
           expose_oldest(s))
        has_exposed = true;
    if (has_exposed)
        call_if_unwatched(s.home, s.isolated);
}

// For an owner that sleeps or leaves, or waits and may not take these tasks. Without memory it runs them when it is
// back.
void expose_tasks(detail::arena& home, channel_queue& q) {
    if (!q.is_open())
        return;
    slot* const s = slot_of(home, q);
    if (!s)
        return;
    while (q.has_tasks() && expose_oldest(*s))
        call_if_unwatched(home);
    q.close();
    pass_all_on(*s);
}

}  // namespace bough::balancing
