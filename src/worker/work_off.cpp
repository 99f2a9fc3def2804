#include "worker/work_off.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "balancing.h"
#include "bough/detail/fp_scope.h"
#include "bough/exports/termination.h"
#include "machine/clock.h"
#include "machine/topology.h"
#include "park/parking_lot.h"
#include "running.h"
#include "share/pacing.h"
#include "share/team.h"
#include "share/units_by_slot.h"
#include "worker/hand_off.h"
#include "worker/replay.h"

namespace bough {
namespace {

void run_pieces(const work& w, const loop_part& p, std::uint32_t first, std::uint32_t count) {
    w.job.run(w.job, w.accumulator, p.map.get().begin_of(first), p.map.get().begin_of(first + count));
}

loop_part* run_interval(slot& s, const assignment& taken, void* const* accumulator, machine::ticks* took);

// Runs the rest of a long piece as a part of its own below p. False if p can count no more helpers.
bool cut_again(slot& s, loop_part& p, const work& w) {
    if (!p.add_helper())
        return false;
    machine::ticks took;
    const assignment rest{.job = &w.job, .parent = &p, .first = w.first, .last = w.last};
    loop_part* const below = run_interval(s, rest, &w.accumulator, &took);
    if (!below || below->leave())
        p.report();  // never has to act for an owner that has left: the owner is this thread
    return true;
}

// Batches of as many units as BOUGH_GRAIN says, within a thread's share of the loop.
pacing::sizes fixed_sizes(unit grain, const piece_map& map, std::uint32_t most) {
    return pacing::sizes::all(
        static_cast<std::uint32_t>(std::clamp<unit>(grain / map.each, 1, std::max(1u, most))));
}

enum class ran { whole, in_chunks, cut };

// Runs one batch. A single piece of many units that is, or may be, long is run in chunks. If it was cut again, other
// threads may have taken units that come before those of the owner's next batch.
ran run_batch(slot& s, loop_part& p, const work& w, std::uint32_t first, std::uint32_t count,
              double ticks_per_unit, call_cost& calls) {
    const double expected = ticks_per_unit * static_cast<double>(p.map.get().each);
    const bool single = w.job.mode == detail::balance::single;
    if (count > 1 || p.map.get().each == 1 ||
        (!single && expected > 0 && expected < 4 * static_cast<double>(calls.worth(tuned().batch))))
        return run_pieces(w, p, first, count), ran::whole;
    const work piece{w.job, w.accumulator, p.map.get().begin_of(first), p.map.get().begin_of(first + 1)};
    if ((single && cut_again(s, p, piece)) || run_long(s, &p, piece, ticks_per_unit, calls))
        return ran::cut;
    return ran::in_chunks;
}

measured run_paced(slot& s, loop_part& p, work w, pacing pace, machine::ticks start, double ticks_per_unit,
                   bool stays_open) {
    measured m{0, 0, 0};
    call_cost calls;
    const machine::ticks call_at = start + tuned().wakeup;
    bool has_called = false;
    std::uint32_t first = 0, count = std::min(pace.batch(), p.map.get().pieces);
    while (count != 0 && !w.job.node.is_stopped()) {
        const ran how = run_batch(s, p, w, first, count, ticks_per_unit, calls);
        const machine::ticks now = machine::now();
        const bool was_open = pace.open();
        const unit units = p.map.get().begin_of(first + count) - p.map.get().begin_of(first);
        if (how == ran::whole)
            calls.saw(units, now - start - m.took);
        pace.ran(count, now, p.remaining(), calls);
        m = {now - start, m.units + units, m.front};
        ticks_per_unit = static_cast<double>(m.took) / static_cast<double>(m.units);
        if (m.front == 0)
            m.front = static_cast<float>(ticks_per_unit);
        if (pace.open()) {
            // relaxed: both are hints to thieves, and the claim below is relaxed too.
            p.grain.store(pace.grain(), std::memory_order_relaxed);
            p.ticks_per_unit.store(static_cast<float>(ticks_per_unit), std::memory_order_relaxed);
            if (!was_open)
                mark_busy(s);
        }
        if (now > call_at && !std::exchange(has_called, true) && p.remaining() != 0)
            call_if_unwatched(s.home);
        if (has_critical_tasks(s) && p.remaining() != 0) [[unlikely]] {
            run_critical_tasks(s);
            start += machine::now() - now;
        }
        balancing::poll_between_batches(s);
        count = p.claim(pace.batch(), pace.open() || stays_open, &first);
        if (how == ran::cut && count != 0 && w.job.fork)  // what other threads took lies in between
            w.accumulator = w.job.fork(w.job, p.map.get().begin_of(first));
    }
    return m;
}

// Runs one interval below its parent, with the team below it. Asks the job for an accumulator unless one is given.
// Returns the part that the interval had, which helpers may still be at work for, or null. *took: the time of this
// thread's own share, set if the interval was more than one unit.
loop_part* run_interval(slot& s, const assignment& taken, void* const* accumulator, machine::ticks* took) {
    loop_job& job = *taken.job;
    loop_part* p = s.open_part();
    // Computes with the caller's floating-point settings; mostly without a look at the line that holds them.
    const detail::fp_scope fp(s, job.has_fp_settings ? job.fp_settings : 0);
    // relaxed: read like the parent's other fields, while this thread counts as its helper.
    const in_user_code inside(s, &job.node, taken.parent->isolation.load(std::memory_order_relaxed));
    const checks::running here(job);
    try {
        void* mine = accumulator ? *accumulator : job.fork ? job.fork(job, taken.first) : nullptr;
        if (p && taken.last - taken.first == 1) {
            // There is nothing to take. But the part shows waiting callers whose work this slot does (find_work).
            p->prepare(job, taken.parent, s.isolation, 0);
            if (!job.node.is_stopped())
                job.run(job, mine, taken.first, taken.last);
        } else if (const work w{job, mine, taken.first, taken.last}; p) {
            const bool stolen = taken.team == nullptr;
            *took =
                work_off(s, *p, taken.parent, w, taken, taken.ticks_per_unit, taken.ticks_per_unit, stolen)
                    .took;
        } else {
            call_cost calls;
            run_long(s, nullptr, w, 0, calls);
        }
    } catch (...) {
        fail(job);
    }
    if (p) {
        if (p->remaining() != 0)  // the job was stopped
            p->drain();
        while (p->is_busy() && run_at_work_if_any(s, take_back(s, *p))) {
        }
        s.close_part(*p);
    }
    return p;
}

// From here on the worker may be handed the next loop. Called before a report, or before another helper can report for
// it: a caller that has seen the report finds this slot waiting.
void become_idle(slot& s) {
    if (s.is_worker && s.nesting == 0 && !rare::is_bound_to_slot(s))
        wait_for_hand_off(s);
}

// Fetches the doors of the members that hand_off() tries first, to be written, so that the lines travel together.
void fetch_doors(const slot& s, const assignment& team, std::uint32_t planned) {
    const cut_rule rule = tuned().cut;
    std::uint32_t stop = team.team_last;
    for (std::uint32_t done = 0; team.team_first < stop && done < planned; ++done) {
        stop -= next_members(stop - team.team_first, rule, loop_part::max_children - done);
        s.home.slot_at(team.team[stop])->cell.prefetch();
    }
}

// The share of the units that the members [begin, end) of the team get, of all that this thread and the members
// [team.team_first, end) have: in proportion to the speeds of the CPUs on which they were last seen.
unit share_by_speed(const slot& s, const machine::topology& t, const assignment& team, std::uint32_t begin,
                    std::uint32_t end, unit units) {
    const auto speed = [&](std::uint32_t slot) {
        const unsigned place = t.place_of(s.home.seen.of(slot));
        return place == machine::topology::nowhere ? 1.0 : static_cast<double>(t.cpus[place].speed);
    };
    double all = speed(s.index), theirs = 0;
    for (std::uint32_t m = team.team_first; m != end; ++m) {
        all += speed(team.team[m]);
        theirs += m < begin ? 0 : speed(team.team[m]);
    }
    return std::min(units, static_cast<unit>(static_cast<double>(units) * (theirs / all)));
}

// Hands intervals from the back of [first, *last) to the members [team_first, team_last), the larger ones first.
// Returns how many of the `planned` hand-offs found no waiting member.
std::uint32_t hand_off(slot& s, loop_part& p, loop_job& job, unit first, unit* last, const assignment& team,
                       float ticks_per_unit, std::uint32_t planned) {
    const std::uint32_t team_first = team.team_first;
    std::uint32_t team_last = team.team_last;
    const cut_rule rule = tuned().cut;
    // Units for each thread from which on shares go by speed. With fewer a slow thread would get none, and bodies may
    // wait for each other.
    constexpr unit finely_cut = 8;
    const machine::topology* const by_speed = machine::topology_with_speeds();
    std::uint32_t done = 0;
    while (team_first < team_last && done < planned) {
        team_cut cut =
            next_child(team_last - team_first, *last - first, rule, loop_part::max_children - done);
        const std::uint32_t stop = team_last;
        // With shares: what was not handed off goes to the member that comes before.
        if (job.again && job.again->order().has_shares()) [[unlikely]]
            cut.units = *last - job.again->order().share_begin(stop - cut.members);
        else if (units_have_slots(s, job)) [[unlikely]]
            cut.units = *last - units_up_to(job.slot, team.team[stop - cut.members], s.home.concurrency());
        else if (by_speed && rule.sixteenths == 0 && *last - first >= finely_cut * (stop - team_first + 1))
            [[unlikely]]
            cut.units = share_by_speed(s, *by_speed, team, stop - cut.members, stop, *last - first);
        team_last = stop - cut.members;
        if (cut.units == 0)
            continue;
        // Passes over a member that waits no more; the rest of its subtree moves up.
        for (std::uint32_t m = stop - cut.members; m < stop; ++m) {
            const assignment a{.job = &job,
                               .parent = &p,
                               .first = *last - cut.units,
                               .last = *last,
                               .team = team.team,
                               .team_first = static_cast<std::uint16_t>(m + 1),
                               .team_last = static_cast<std::uint16_t>(stop),
                               .ticks_per_unit = ticks_per_unit};
            if (const auto ticket = s.home.slot_at(team.team[m])->cell.try_hand_off(a)) {
                count(s.counted, event::handed_off);
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

}  // namespace

void report_up(loop_part* p) {
    if (const loop_part* caller = report_up_from(p))
        process_parking_lot().wake_all(&caller->word);  // report() was seq_cst, as the parking lot requires
}

void fail(loop_job& job) noexcept {
    if (detail::terminates_on_exception())
        std::terminate();
    // acq_rel: one winner; the caller reads `error` after the join.
    if (!job.failed.exchange(true, std::memory_order_acq_rel))
        job.error = std::current_exception();
    job.node.stop();
}

bool run_long(slot& s, loop_part* p, work w, double ticks_per_unit, call_cost& calls) {
    const machine::ticks wanted = tuned().batch, batch = calls.worth(wanted);
    const unit few = few_units(s, w.job);
    constexpr unit longest = ~unit{0} / 4;
    const machine::ticks start = machine::now();
    machine::ticks before = start;
    unit chunk = 1;
    if (ticks_per_unit > 0)
        chunk = static_cast<unit>(std::clamp(static_cast<double>(batch) / ticks_per_unit, 1.0, 1e18));
    while (w.first < w.last && !w.job.node.is_stopped()) {
        const unit units = std::min(chunk, w.last - w.first);
        w.job.run(w.job, w.accumulator, w.first, w.first + units);
        w.first += units;
        const machine::ticks now = machine::now(), took = now - before;
        calls.saw(units, took);
        if (took < wanted / 2)
            chunk = std::min(chunk, longest) * (took < wanted / 8 ? 4 : 2);
        else if (took > wanted * 2)
            chunk = std::max<unit>(1, chunk / 2);
        const unit rest = w.last - w.first;
        chunk = std::max(chunk, std::min<unit>(calls.longer(units, took, wanted), std::max(rest / 8, few)));
        if (p && now - start > 8 * batch && rest > chunk && cut_again(s, *p, w))
            return true;
        balancing::poll(s);
        before = now;
        if (has_critical_tasks(s) && w.first < w.last) [[unlikely]] {
            // Critical tasks may wait for the rest, so this thread publishes the rest first. Without a part no other
            // thread takes part in the loop.
            if (p && cut_again(s, *p, w))
                return true;
            if (!p)
                run_critical_tasks(s);
            before = machine::now();
        }
    }
    return false;
}

measured work_off(slot& s, loop_part& p, loop_part* parent, const work& w, const assignment& team,
                  double ticks_per_unit, double front, bool from_start) {
    const tuning& t = tuned();
    const std::uint32_t below = team.team_last - team.team_first;
    // Plans as many hand-offs as there can be. Publishing the part takes those off again that were not made.
    const std::uint32_t planned = std::min(below, loop_part::max_children);
    p.prepare(w.job, parent, s.isolation, planned);
    if (parent)  // the caller has fetched them after its last loop, or has just looked at them
        fetch_doors(s, team, planned);
    unit last = w.last;
    const std::uint32_t undone =
        planned ? hand_off(s, p, w.job, w.first, &last, team, static_cast<float>(ticks_per_unit), planned)
                : 0;

    const machine::ticks start = machine::now();
    p.map.set(piece_map(w.first, last));
    const bool fixed = w.job.mode == detail::balance::fixed;
    const std::uint32_t most = most_in_a_batch(s, w.job, p.map.get());
    const machine::ticks gate = fixed ? ~machine::ticks{0} : t.gate_for(below + 1);
    const double piece = front * static_cast<double>(p.map.get().each);
    // With a team the first batch goes a quarter of the way to the gate: an uneven range may begin with its longest
    // units.
    const double target = static_cast<double>(gate) / (team.team || parent ? 4 : 1);
    const double first_batch = piece > 0 ? target / piece : 1;
    const unit few = std::min<unit>(few_units(s, w.job) / p.map.get().each, p.map.get().pieces);
    const pacing::sizes allowed{
        static_cast<std::uint32_t>(std::clamp(first_batch, 1.0, double{loop_word::max_pieces})), most,
        static_cast<std::uint32_t>(few)};
    pacing pace(t.grain == 0 ? allowed : fixed_sizes(t.grain, p.map.get(), most), start, gate, t.batch);
    const bool open = !fixed && (from_start || gate == 0 || undone != 0);
    const bool by_slot = units_have_slots(s, w.job);
    if (by_slot)
        p.first_slot.store(1 + slot_of_unit(w.first, w.job.slot, s.home.concurrency()),
                           std::memory_order_relaxed);
    const std::uint32_t claimed = std::min(pace.batch(), p.map.get().pieces);
    // A part of one batch has nothing to show to other threads, so it is not published: its owner need not wait until
    // its last hand-off has left the core.
    if (claimed != p.map.get().pieces || undone != 0) {
        if (planned)
            p.publish_shared(claimed, open, undone);
        else
            p.publish(claimed, open);
        balancing::publish_part(s);
        call_for_loop(s.home, ticks_per_unit * static_cast<double>(last - w.first));
    }
    const measured own = run_paced(s, p, w, pace, start, front, open);
    if (by_slot)
        p.first_slot.store(0, std::memory_order_relaxed);
    return own;
}

void help(slot& s, const assignment& given) {
    std::optional<assignment> more;
    for (const assignment* taken = &given;; taken = &*more) {
        loop_part* const parent = taken->parent;
        machine::ticks took = 0;
        loop_part* const p = run_interval(s, *taken, nullptr, &took);
        const bool has_helpers = p && p->is_busy();
        if (has_helpers) {
            become_idle(s);
            if (!p->leave())
                return;  // the last of them reports
        }
        // Takes more of the same part, or reports: one operation on the parent's word either way. The parent's
        // generation was there before this interval began, so the time that the interval took counts for the gate.
        const loop_word w = parent->look();
        const bool is_open = w.open() || took > tuned().gate_for(s.home.concurrency());
        if (balancing::helpers_take_more && !has_helpers && is_open && !takes_nothing_new(s) &&
            !s.owns(*parent) && w.remaining() > parent->grain.load(std::memory_order_relaxed)) {
            // Critical tasks come first: they may wait for what this thread would take here.
            const bool has_critical = has_critical_tasks(s);
            if (has_critical) [[unlikely]]
                run_critical_tasks(s);
            more = parent->steal_more(has_critical ? parent->look() : w);
            if (more)
                continue;
        }
        become_idle(s);
        return report_up(parent);
    }
}

}  // namespace bough
