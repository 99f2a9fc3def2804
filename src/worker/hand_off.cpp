#include "worker/hand_off.h"

#include <utility>

#include "worker/crew.h"
#include "worker/mail_tasks.h"

namespace bough {

found take_back(slot& s, loop_part& p) {
    for (std::uint16_t i = 0; i < p.child_count; ++i)
        if (const auto own = s.home.slot_at(p.children[i].slot)->cell.revoke(p.children[i].ticket))
            return {found::kind::taken_back, *own};
    return {};
}

unsigned first_slot_where_it_is(const slot& s) {
    s.home.seen.look(s.index);
    return s.home.first_slot_near(s.home.seen.of(s.index), s.index);
}

bool hand_task_to(slot& s, slot& member, task& t, const mail_round* round) {
    // Hands nothing to an idle worker that must go and has not seen that yet. Nor while something is enqueued, which
    // comes first: the thread that waits for t would take it, and it may wait for that thread.
    if (!member.cell.is_waiting() || s.home.enqueued.has_tasks() || crew_limits.has_excess() ||
        crew_limits.is_requested_higher(s.home))
        return false;
    assignment a{.whole = &t};
    if (round)
        put_round(a, *round);
    const auto ticket = member.cell.try_hand_off(a);
    if (!ticket)
        return false;
    count(s.counted, event::handed_off);
    // Replaces the oldest entry: most likely its task was begun long ago.
    s.handed[s.handed_count++ % s.handed.size()] = {member.index, *ticket};
    return true;
}

bool hand_off_task(slot& s, task& t) {
    bool done = false;
    s.home.idle.each(first_slot_near(s), [&](unsigned i) {
        done = i != s.index && hand_task_to(s, *s.home.slot_at(i), t);
        return !done;
    });
    return done;
}

found take_back_task(slot& s) {
    if (s.isolation != 0)
        return {};  // isolated tasks are not handed off
    for (slot::handed_task& h : s.handed) {
        if (h.ticket == 0)
            continue;
        if (const auto own = s.home.slot_at(h.slot)->cell.revoke(std::exchange(h.ticket, 0)))
            return {found::kind::taken_back, *own};
    }
    return {};
}

}  // namespace bough
