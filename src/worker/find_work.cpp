// Finds work that other slots have: pieces of loops, and tasks. share/README.md has the protocol of a part.

#include <optional>
#include <utility>

#include "machine/clock.h"
#include "share/units_by_slot.h"
#include "worker/crew.h"
#include "worker/look_around.h"
#include "worker/nesting.h"
#include "worker/work_off.h"
#include "worker/worker.h"

namespace bough {
namespace {

// Deeper parts are rare: they have no gate.
constexpr std::uint16_t sighted_depth = slot::parts_per_chunk;

bool may_steal(slot& s, const slot& victim, std::uint16_t depth, const loop_part& p, loop_word w) {
    if (depth >= sighted_depth || s.came_on_call)
        return true;
    const std::size_t i = std::size_t{victim.index} * sighted_depth + depth;
    if (i >= s.sightings.size()) {
        try {
            s.sightings.resize(i + sighted_depth);
        } catch (...) {
            return true;  // out of memory: no gate
        }
    }
    const tuning& t = tuned();
    return s.sightings[i].may_steal(w, victim.mails.load(std::memory_order_relaxed),
                                    p.grain.load(std::memory_order_relaxed), machine::now(),
                                    {t.gate_for(s.home.concurrency()), t.gate_mails});
}

// Called before the thread takes something: it stops waiting for a hand-off. True: it had been handed work, which is in
// *f now.
bool was_handed(slot& s, found* f) {
    const auto handed = stop_waiting(s);
    if (handed) [[unlikely]]
        *f = found(found::kind::handed, *handed);
    return handed.has_value();
}

// Puts stolen pieces into *f. False if there are none.
bool claim(slot& s, const std::optional<assignment>& stolen, found* f) {
    if (!stolen)
        return false;
    count(s.counted, event::steal_won);
    *f = found(found::kind::interval, *stolen);
    return true;
}

// Takes one piece of a part if its job descends from what the thread waits for. To see that, the thread first counts as
// a helper, so that the job and all above it stay.
bool take_descendant(slot& s, loop_part& p, loop_word seen, found* f) {
    if (was_handed(s, f))
        return true;
    count(s.counted, event::steal_tried);
    if (!p.join_in(seen))
        return false;
    if (p.job.load(std::memory_order_relaxed)->node.is_below(s.only_below) &&
        claim(s, p.steal_more(p.look(), 1), f))
        return true;
    report_up(&p);
    return false;
}

// Of the isolated tasks before `end`.
bool take_isolated_of(slot& s, slot& victim, isolated_queue::place end, found* f) {
    if (!victim.isolated.has_tasks_before(end) || takes_nothing_new(s))
        return false;
    if (was_handed(s, f))
        return true;
    count(s.counted, event::steal_tried);
    task* const stolen = victim.isolated.steal_oldest(filter_of(s), end);
    if (!stolen)
        return false;
    count(s.counted, event::steal_won);
    *f = found(found::kind::stolen_task, stolen);
    return true;
}

// Of those that were seen before the look at the parts, the ones that are older than this part.
bool take_isolated_before(slot& s, slot& victim, const loop_part& p, isolated_queue::place seen, found* f) {
    return take_isolated_of(s, victim, std::min(seen, p.older_isolated_end.load(std::memory_order_relaxed)),
                            f);
}

bool take_descendant_of(slot& s, slot& victim, found* f) {
    const isolated_queue::place isolated_seen = victim.isolated.next_place();
    const std::uint16_t depth = victim.used_parts();
    const std::uintptr_t tag = filter_of(s).tag;
    for (std::uint16_t d = 0; d < depth && d < victim.parts_made(); ++d) {
        loop_part& p = victim.part(d);
        const loop_word w = p.look();
        if (takes_nothing_new(s))
            return false;
        // relaxed: a hint, as in take_part_of().
        if (w.remaining() == 0 || (tag != 0 && p.isolation.load(std::memory_order_relaxed) != tag))
            continue;
        if (take_isolated_before(s, victim, p, isolated_seen, f))
            return true;
        if (!may_steal(s, victim, d, p, w))
            s.sees_work = true;
        else if (take_descendant(s, p, w, f))
            return true;
    }
    return take_isolated_of(s, victim, isolated_seen, f);
}

// How many units there are from this slot's own unit to the end of the part; 0: its own is not there. The thread takes
// units of other slots along: their threads find them in its part.
std::uint32_t own_units(const slot& s, const loop_part& p, loop_word w) {
    const std::uint32_t front = p.first_slot.load(std::memory_order_relaxed);  // a hint
    if (front == 0)
        return 0;
    const std::uint32_t piece = units_up_to(front - 1, s.index, s.home.concurrency());
    return w.next() <= piece && piece < w.end() ? w.end() - piece : 0;
}

// Where threads have units of their own, a thread leaves the units of others to them for three looks, so that they have
// time to come. (Its own units may be with a thread that is about to publish them.)
bool leaves_units_to_others(const slot& s, const loop_part& p) {
    constexpr unsigned looks = 3;
    return p.first_slot.load(std::memory_order_relaxed) != 0 && s.left_units < looks;
}

enum class look { took, found_nothing, tasks_are_next, comes_later, lost_a_race };

// The tasks of a slot, seen before the look at its parts: they belong to no part that the look does not see.
struct tasks_seen {
    isolated_queue::place isolated_end = 0;
    // The queue's oldest one.
    queue_index place = 0;
    bool exists = false;
    bool is_public =
        false;  // else it may not be the oldest one for long, and its owner is to be asked for it

    bool has_one_before(const loop_part& p) const {
        return exists && place < p.older_tasks_end.load(std::memory_order_relaxed);
    }
};
// acquire, in next_place() and is_empty(): pairs with push(), which comes after the publication of the parts around the
// task.
tasks_seen tasks_of(const slot& victim) {
    const isolated_queue::place isolated_end = victim.isolated.next_place();
    const queue_index place = victim.queue.oldest_place();
    return {isolated_end, place, !victim.queue.is_empty(), victim.queue.is_public(place)};
}

// So many looks in a row does a thief wait until an owner exposes an older task: it may have blocked the signal.
constexpr unsigned looks_for_a_private_task = 200;

look take_part_of(slot& s, slot& victim, const loop_job* below, const tasks_seen& seen, found* f) {
    const std::uint16_t depth = victim.used_parts();
    const std::uintptr_t tag = filter_of(s).tag;
    bool in_scope = below == nullptr;
    look next = look::tasks_are_next;
    for (std::uint16_t d = 0; d < depth && d < victim.parts_made(); ++d) {
        loop_part& p = victim.part(d);
        const loop_word w = p.look();
        if (takes_nothing_new(s))
            return look::found_nothing;
        // A job nested in `below` lies above it in the slot's stack of parts.
        in_scope = in_scope || (!w.left() && p.job.load(std::memory_order_relaxed) == below);
        if (!in_scope || w.remaining() == 0 || w.helpers() == loop_word::max_helpers)
            continue;
        // relaxed: a hint, as `job` is; if the part has been used anew the word has changed, and the steal fails.
        if (tag != 0 && p.isolation.load(std::memory_order_relaxed) != tag)
            continue;
        if (take_isolated_before(s, victim, p, seen.isolated_end, f))
            return look::took;
        if (seen.has_one_before(p) && filter_of(s).admits_all()) {
            if (seen.is_public)
                return look::tasks_are_next;
            if (s.left_units < looks_for_a_private_task) {
                s.leaves_units = true;
                victim.queue.ask_for_tasks();
                return look::comes_later;
            }
        }
        std::uint32_t own = &victim == &s ? 0 : own_units(s, p, w);
        // A part counts so many thieves at most. If each of 100 took its own unit alone the last ones would get none.
        if (own != 0 && w.helpers() > loop_word::max_helpers / 2)
            own = std::max(own, (w.remaining() + 1) / 2);
        if (own == 0 && &victim != &s && leaves_units_to_others(s, p)) {
            s.leaves_units = true;
            return look::comes_later;
        }
        // The outermost work comes first, if need be after its gate: deeper work may wait for it.
        if (own == 0 && !may_steal(s, victim, d, p, w))
            return look::comes_later;
        if (was_handed(s, f))
            return look::took;
        count(s.counted, event::steal_tried);
        // Of its own loops the thread takes one piece only: what waits here may go on at any time.
        if (claim(s, own != 0 ? p.steal_back(w, own) : p.steal(w, &victim == &s ? 1 : loop_word::max_pieces),
                  f))
            return look::took;
        next = look::comes_later;  // the part has changed: other threads are at work on it
    }
    return next;
}

bool is_closed(const slot& victim) {
    const machine::ticks until = victim.tasks_closed_until.load(std::memory_order_relaxed);
    // By what is left: the clock may have begun anew, as after suspend to RAM.
    return until != 0 && until - machine::now() - 1 < tuned().longest_gate;
}

look take_task_of(slot& s, slot& victim, const tasks_seen& seen, found* f) {
    if (!filter_of(s).admits_all() || takes_nothing_new(s))
        return look::found_nothing;
    if (!seen.is_public) {
        victim.queue.ask_for_tasks();
        return look::comes_later;
    }
    if (!s.came_on_call && is_closed(victim))
        return look::comes_later;
    if (was_handed(s, f))
        return look::took;
    count(s.counted, event::steal_tried);
    const steal_result r = local_queue::thief(victim.queue).steal(seen.place);
    if (r.status == steal_status::success) {
        count(s.counted, event::steal_won);
        *f = found(found::kind::stolen_task, r.stolen);
        return look::took;
    }
    return r.status == steal_status::retry ? look::lost_a_race : look::found_nothing;
}

look take_any_of(slot& s, slot& victim, found* f) {
    const tasks_seen seen = tasks_of(victim);
    const look at_parts = take_part_of(s, victim, nullptr, seen, f);
    if (at_parts != look::tasks_are_next)
        return at_parts;
    if (take_isolated_of(s, victim, seen.isolated_end, f))
        return look::took;
    return seen.exists ? take_task_of(s, victim, seen, f) : look::found_nothing;
}

// May the thread take a task that belongs to no slot? Asked before the thread stops waiting for a hand-off.
bool may_take_streamed(const slot& s) {
    const arena& a = s.home;
    return !s.only_below && ((a.critical.has_tasks() && takes_critical_in_waits(s)) ||
                             (takes_enqueued(s) && filter_of(s).tag == 0 && a.enqueued.has_tasks()));
}

found find_streamed_here(slot& s) {
    found f;
    if (!may_take_streamed(s) || was_handed(s, &f))
        return f;
    return find_streamed_task(s);
}

}  // namespace

// What a thread takes from its own slot may wait, and take in turn. So many nested parts do not use up the stack.
constexpr std::uint16_t deepest_own_take = 128;

found find_work(slot& s, const loop_job* below) {
    // Work of others would fail here for want of stack, and would not fail in their threads: so it stays there. The
    // thread's own tasks do run, and fail here, as another thread may wait for them.
    if (is_nested_too_deep(s)) [[unlikely]]
        return below ? found() : find_own_task(s);
    // With `below` the thread goes on: pieces of its own loop nest no deeper than that loop does.
    if (!below && leaves_work_to_others(s)) [[unlikely]] {
        found own = find_own_task(s);
        return own ? std::move(own) : find_streamed_here(s);
    }
    arena& a = s.home;
    found f;
    s.sees_work = s.leaves_units = false;
    const auto take_of = [&](slot& victim) {
        if (s.only_below)
            return take_descendant_of(s, victim, &f);
        look last = below ? take_part_of(s, victim, below, {}, &f) : take_any_of(s, victim, &f);
        if (last == look::lost_a_race)  // attempts are bounded: the next look comes soon
            last = take_any_of(s, victim, &f);
        s.sees_work = s.sees_work || last == look::comes_later || last == look::lost_a_race;
        return last == look::took;
    };
    const bool took = look_around(s, [&](unsigned i) {
        // A look at 100 slots takes 20 us where each costs a line transfer or two. What the thread is handed meanwhile
        // does not wait for its end.
        if (const auto handed = s.cell.receive()) {
            f = found(found::kind::handed, *handed);
            return true;
        }
        slot* victim = a.slot_at(i);
        return victim && take_of(*victim);
    });
    // The caller's own slot comes last: what it waits for may wait for pieces of its outer loops, or for its tasks.
    if (!took && s.only_below)
        take_isolated_of(s, s, isolated_queue::no_limit, &f);
    else if (!took && !below && s.used_parts() < deepest_own_take)
        take_of(s);
    s.came_on_call = false;
    s.left_units = s.leaves_units && !f.is(found::kind::interval)
                       ? static_cast<std::uint8_t>(s.left_units + 1)
                       : std::uint8_t{0};
    if (!f && !below)
        return find_streamed_here(s);
    return f;
}

bool find_and_run(slot& s, const loop_job* below) {
    found f = find_work(s, below);
    if (!f)
        return false;
    run(s, std::move(f));
    return true;
}

}  // namespace bough
