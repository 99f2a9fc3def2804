#include "worker/hand_out.h"

#include <algorithm>
#include <utility>

#include "share/team.h"
#include "worker/crew.h"

namespace bough {

std::uint32_t recruit(slot& s, std::uint16_t* team, std::uint32_t wanted) {
    std::uint32_t n = 0;
    const unsigned allowed = crew_limits.workers_allowed();
    wanted = std::min(wanted, allowed);
    if (wanted == 0 ||
        crew_limits.has_more_than(allowed))  // others may be at work elsewhere, beyond the limit
        return 0;
    s.home.idle.each(s.index, [&](unsigned i) {
        const slot* member = s.home.slot_at(i);
        // After a join the members wait for the next loop: no look at their cells, which would cost a line transfer.
        if (i == s.index || !member || !(s.team_is_hot || member->cell.is_waiting()))
            return true;
        team[n++] = static_cast<std::uint16_t>(i);
        return n < wanted;
    });
    return n;
}

std::uint32_t hand_out(slot& s, loop_part& p, loop_job& job, unit first, unit* last, const assignment& team,
                       float ticks_per_unit, std::uint32_t planned) {
    const std::uint32_t team_first = team.team_first;
    std::uint32_t team_last = team.team_last;
    const cut_rule rule = tuned().cut;
    std::uint32_t done = 0;
    while (team_first < team_last && done < planned) {
        const team_cut cut =
            next_child(team_last - team_first, *last - first, rule, loop_part::max_children - done);
        const std::uint32_t stop = team_last;
        team_last = stop - cut.members;
        if (cut.units == 0)
            continue;
        // A member that waits no more is passed over; the rest of its subtree moves up.
        for (std::uint32_t m = stop - cut.members; m < stop; ++m) {
            const assignment a{.job = &job,
                               .parent = &p,
                               .first = *last - cut.units,
                               .last = *last,
                               .team = team.team,
                               .team_first = static_cast<std::uint16_t>(m + 1),
                               .team_last = static_cast<std::uint16_t>(stop),
                               .ticks_per_unit = ticks_per_unit};
            if (const auto ticket = s.home.slot_at(team.team[m])->cell.offer(a)) {
                count(s.counted, event::handed_out);
                *last -= cut.units;
                p.children[done++] = {team.team[m], *ticket};
                break;
            }
        }
    }
    if (tuned().gate_mails != 0)
        s.mails.store(s.mails.load(std::memory_order_relaxed) + done, std::memory_order_relaxed);
    p.child_count = static_cast<std::uint16_t>(done);
    return planned - done;
}

bool take_back(slot& s, loop_part& p) {
    for (std::uint16_t i = 0; i < p.child_count; ++i) {
        if (const auto own = s.home.slot_at(p.children[i].slot)->cell.revoke(p.children[i].ticket)) {
            help(s, *own);
            return true;
        }
    }
    return false;
}

bool hand_task_to(slot& s, slot& member, task& t) {
    // An idle worker that has not seen yet that it must go is handed nothing.
    if (!member.cell.is_waiting() || crew_limits.has_excess())
        return false;
    const auto ticket = member.cell.offer({.whole = &t});
    if (!ticket)
        return false;
    count(s.counted, event::handed_out);
    // The oldest entry has long been begun, most likely.
    s.handed[s.handed_count++ % s.handed.size()] = {member.index, *ticket};
    return true;
}

bool hand_out_task(slot& s, task& t) {
    if (s.home.idle.is_empty())
        return false;
    bool done = false;
    s.home.idle.each(s.index, [&](unsigned i) {
        slot* member = i == s.index ? nullptr : s.home.slot_at(i);
        done = member && hand_task_to(s, *member, t);
        return !done;
    });
    return done;
}

bool take_back_task(slot& s) {
    if (s.isolation != 0)
        return false;  // isolated tasks are not handed out
    for (slot::handed_task& h : s.handed) {
        if (h.ticket == 0)
            continue;
        const auto own = s.home.slot_at(h.slot)->cell.revoke(std::exchange(h.ticket, 0));
        if (own) {
            run_assignment(s, *own);
            return true;
        }
    }
    return false;
}

}  // namespace bough
