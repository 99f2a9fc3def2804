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
    // A thread that waits for descendants looks at several parts of a slot, and leaves those that are none.
    const std::size_t i = s.home.tag != 0 ? std::size_t{victim.index} * sighted_depth + depth : victim.index;
    if (i >= s.sightings.size()) {
        try {
            s.sightings.resize(i + 1);
        } catch (...) {
            return true;  // out of memory: no gate
        }
    }
    const tuning& t = tuned();
    return s.sightings[i].may_steal(depth, w, victim.mails.load(std::memory_order_relaxed),
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
    // Nobody knows how many workers the rest of a loop is worth. So those that come double, while they find some. (When
    // each called one more, 128 threads came in 3 ms on virtual cores.)
    s.left_there = 2;
    *f = found(found::kind::interval, *stolen);
    return true;
}

enum class look { took, found_nothing, isolated_are_next, queue_is_next, comes_later, lost_a_race };

// Takes one piece of a part if its job descends from what the thread waits for. To see that, the thread first counts as
// a helper, so that the job and all above it stay. Finds nothing in a part that does not descend from that.
look take_descendant(slot& s, loop_part& p, loop_word seen, found* f) {
    if (was_handed(s, f))
        return look::took;
    count(s.counted, event::steal_tried);
    if (!p.join_in(seen))
        return look::lost_a_race;
    const bool descends = p.job.load(std::memory_order_relaxed)->node.is_below(s.only_below);
    if (descends && claim(s, p.steal_more(p.look(), 1), f))
        return look::took;
    report_up(&p);
    return descends ? look::lost_a_race : look::found_nothing;
}

bool take_isolated_of(slot& s, slot& victim, isolated_queue::span of, found* f) {
    if (of.begin >= of.end || !victim.isolated.has_tasks_before(of.end) || takes_nothing_new(s))
        return false;
    if (was_handed(s, f))
        return true;
    count(s.counted, event::steal_tried);
    task* const stolen = victim.isolated.steal_oldest(filter_of(s), of);
    if (!stolen)
        return false;
    count(s.counted, event::steal_won);
    *f = found(found::kind::stolen_task, stolen);
    return true;
}

// The tasks of a slot, seen before the look at its parts: they belong to no part that the look does not see.
struct tasks_seen {
    isolated_queue::place isolated_end;
    // The queue's oldest one.
    queue_index place;
    bool exists;
    bool is_public;  // else it may not be the oldest one for long, and its owner is to be asked for it

    bool has_one_before(const loop_part& p) const {
        return exists && place < p.older_tasks_end.load(std::memory_order_relaxed);
    }
    // Where those end that are older than the part; 0: none is there.
    isolated_queue::place isolated_before(const slot& victim, const loop_part& p) const {
        if (!victim.isolated.has_tasks())
            return 0;
        return std::min(isolated_end, p.older_isolated_end.load(std::memory_order_relaxed));
    }
};
// acquire, in next_place() and is_empty(): pairs with push(), which comes after the publication of the parts around the
// task.
tasks_seen tasks_of(const slot& victim) {
    const isolated_queue::place isolated_end = victim.isolated.next_place();
    const queue_index place = victim.queue.oldest_place();
    return {isolated_end, place, !victim.queue.is_empty(), victim.queue.is_public(place)};
}

// Were tasks pushed after the thief had looked for them, and then the part opened? Asked before the thief takes from
// it. acquire, in look() of the part's word: whoever saw it sees the tasks that came before it.
bool missed_some_before(const slot& victim, const loop_part& p, const tasks_seen& seen) {
    return (!seen.has_one_before(p) && tasks_of(victim).has_one_before(p)) ||
           (victim.isolated.next_place() != seen.isolated_end &&
            p.older_isolated_end.load(std::memory_order_relaxed) > seen.isolated_end);
}

look take_descendant_of(slot& s, slot& victim, found* f) {
    const isolated_queue::place isolated_end = victim.isolated.next_place();
    isolated_queue::place asked_for = 0;  // none before this is for this thread
    const std::uint16_t depth = victim.used_parts();
    const std::uintptr_t tag = filter_of(s).tag;
    for (std::uint16_t d = 0; d < depth && d < victim.parts_made(); ++d) {
        loop_part& p = victim.part(d);
        const loop_word w = p.look();
        if (takes_nothing_new(s))
            return look::found_nothing;
        // relaxed: a hint, as in take_part_of().
        if (w.remaining() == 0 || (tag != 0 && p.isolation.load(std::memory_order_relaxed) != tag))
            continue;
        const isolated_queue::place older_end = p.older_isolated_end.load(std::memory_order_relaxed);
        if (take_isolated_of(s, victim, {asked_for, std::min(isolated_end, older_end)}, f))
            return look::took;
        asked_for = std::min(isolated_end, older_end);
        // Whether the part descends from what this thread waits for shows once it has joined in. Until then it bars
        // what lies deeper, which may wait for it.
        if (older_end > isolated_end || !may_steal(s, victim, d, p, w))
            return look::comes_later;
        if (const look at_part = take_descendant(s, p, w, f); at_part != look::found_nothing)
            return at_part;
    }
    return take_isolated_of(s, victim, {asked_for, isolated_end}, f) ? look::took : look::found_nothing;
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

// Asks the owner for an older task that it keeps private, and leaves what is newer alone for this look. False: the
// owner has not answered for so many looks in a row. It may have blocked the signal.
bool leaves_older_task_to_come(slot& s, slot& victim) {
    constexpr unsigned looks = 200;
    if (s.left_units >= looks)
        return false;
    s.leaves_units = true;
    victim.queue.ask_for_tasks();
    return true;
}

// With `below` only pieces of that job and of those nested in it. Of older tasks only those of the queue that came
// after the first of these parts: others may belong to something else. The caller takes anything when it is stuck.
look take_part_of(slot& s, slot& victim, const loop_job* below, const tasks_seen& seen, found* f) {
    const std::uint16_t depth = victim.used_parts();
    const task_filter filter = filter_of(s);
    bool in_scope = below == nullptr;
    queue_index scope_begin = 0;
    isolated_queue::place asked_for = 0;  // none before this is for this thread
    look next = below == nullptr ? look::isolated_are_next : look::found_nothing;
    for (std::uint16_t d = 0; d < depth && d < victim.parts_made(); ++d) {
        loop_part& p = victim.part(d);
        const loop_word w = p.look();
        if (takes_nothing_new(s))
            return look::found_nothing;
        // A job nested in `below` lies above it in the slot's stack of parts.
        if (!in_scope && !w.left() && p.job.load(std::memory_order_relaxed) == below) {
            in_scope = true;
            scope_begin = p.older_tasks_end.load(std::memory_order_relaxed);
        }
        if (!in_scope || w.remaining() == 0 || w.helpers() == loop_word::max_helpers)
            continue;
        // relaxed: a hint, as `job` is; if the part has been used anew the word has changed, and the steal fails.
        if (filter.tag != 0 && p.isolation.load(std::memory_order_relaxed) != filter.tag)
            continue;
        const bool queue_is_older = filter.admits_all() && seen.has_one_before(p);
        const isolated_queue::place isolated_end = seen.isolated_before(victim, p);
        if (below != nullptr &&
            ((queue_is_older && seen.place < scope_begin) || victim.isolated.has_tasks_before(isolated_end)))
            return look::comes_later;
        if (take_isolated_of(s, victim, {asked_for, isolated_end}, f))
            return look::took;
        asked_for = isolated_end;
        if (queue_is_older) {
            if (seen.is_public)
                return look::queue_is_next;
            if (leaves_older_task_to_come(s, victim))
                return look::comes_later;
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
        if (missed_some_before(victim, p, seen))
            return look::lost_a_race;
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
        s.left_there = static_cast<std::uint32_t>(victim.queue.size());
        *f = found(found::kind::stolen_task, r.stolen);
        return look::took;
    }
    return r.status == steal_status::retry ? look::lost_a_race : look::found_nothing;
}

look take_any_of(slot& s, slot& victim, const loop_job* below, found* f) {
    const tasks_seen seen = tasks_of(victim);
    const look at_parts = take_part_of(s, victim, below, seen, f);
    if (at_parts != look::isolated_are_next && at_parts != look::queue_is_next)
        return at_parts;
    const bool queue_is_older = at_parts == look::queue_is_next ||
                                (seen.exists && filter_of(s).admits_all() && victim.isolated.has_tasks() &&
                                 victim.isolated.has_only_later_than(seen.place));
    if (queue_is_older && !seen.is_public && leaves_older_task_to_come(s, victim))
        return look::comes_later;
    if (!(queue_is_older && seen.is_public) && take_isolated_of(s, victim, {0, seen.isolated_end}, f))
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

found find_work(slot& s, const loop_job* below, const wait_end& end) {
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
        const auto take = [&] {
            return s.only_below ? take_descendant_of(s, victim, &f) : take_any_of(s, victim, below, &f);
        };
        look last = take();
        if (last == look::lost_a_race)  // attempts are bounded: the next look comes soon
            last = take();
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
        if (end.has_come())
            return true;
        slot* victim = a.slot_at(i);
        return victim && take_of(*victim);
    });
    if (took && !f)
        return f;  // the wait is over
    // The caller's own slot comes last: what it waits for may wait for pieces of its outer loops, or for its tasks.
    if (!took && s.only_below)
        take_isolated_of(s, s, {}, &f);
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
