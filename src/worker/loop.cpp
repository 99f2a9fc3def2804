// A loop's life: the caller's side, and its helpers'. share/README.md is the protocol.

#include "bough/detail/loop_job.h"

#include <algorithm>
#include <utility>

#include "bough/context.h"
#include "machine/clock.h"
#include "machine/pause.h"
#include "park/lot.h"
#include "share/pacing.h"
#include "share/prediction.h"
#include "share/team.h"
#include "steal/look_timer.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {
namespace {

constexpr unsigned max_team = loop_word::max_helpers;

void fail(loop_job& job) noexcept {
    // acq_rel: one winner; the caller reads `error` after the join.
    if (!job.failed.exchange(true, std::memory_order_acq_rel))
        job.error = std::current_exception();
    job.node.stop();
}

// ---- handing out ----

// Hands intervals of the back of [first, *last) to the members [team_first, team_last), the larger ones first.
// Returns how many of the `planned` hand-offs found nobody.
std::uint32_t hand_out(slot& s, loop_part& p, loop_job& job, unit first, unit* last, const std::uint16_t* team,
                       std::uint32_t team_first, std::uint32_t team_last, std::uint32_t planned) {
    const std::uint32_t fan_out = tuned().fan_out;
    std::uint32_t done = 0;
    while (team_first < team_last && done < planned) {
        const team_cut cut = next_child(team_last - team_first, *last - first, fan_out);
        const std::uint32_t stop = team_last;
        team_last = stop - cut.members;
        if (cut.units == 0)
            continue;
        // A member that waits no more is passed over; the rest of its subtree moves up.
        for (std::uint32_t m = stop - cut.members; m < stop; ++m) {
            const assignment a{{&job, &p, *last - cut.units, *last}, team, m + 1, stop};
            if (const auto ticket = s.home.slot_at(team[m])->cell.offer(a)) {
                *last -= cut.units;
                p.children[done++] = {team[m], *ticket};
                break;
            }
        }
    }
    p.child_count = static_cast<std::uint16_t>(done);
    return planned - done;
}

// Runs what was handed out below p and has not been begun: a member may have lost its CPU. False if there was nothing.
bool take_back(slot& s, loop_part& p) {
    for (std::uint16_t i = 0; i < p.child_count; ++i) {
        if (const auto own = s.home.slot_at(p.children[i].slot)->cell.revoke(p.children[i].ticket)) {
            help(s, *own, &*own);
            return true;
        }
    }
    return false;
}

std::uint32_t planned_children(std::uint32_t below, unit units) {
    std::uint32_t n = 0;
    while (below > 0 && n < loop_part::max_children) {
        const team_cut cut = next_child(below, units, tuned().fan_out);
        below -= cut.members;
        units -= cut.units;
        ++n;
    }
    return n;
}

// ---- working a part off ----

struct work {
    loop_job& job;
    void* accumulator;
    unit first;
    unit last;
};

void run_pieces(const work& w, const loop_part& p, std::uint32_t first, std::uint32_t count) {
    w.job.run(w.job, w.accumulator, p.map.begin_of(first), p.map.begin_of(first + count));
}

// Threads that a part's pieces must leave something for.
std::uint32_t share_of(std::uint32_t pieces, unsigned threads) { return std::max(1u, pieces / threads); }

// Without a clock: P batches.
void run_blind(slot& s, loop_part& p, const work& w) {
    p.map = piece_map(w.first, w.last);
    const std::uint32_t batch = share_of(p.map.pieces, s.home.concurrency());
    p.publish(batch, false);
    call_if_unwatched(s.home);
    run_pieces(w, p, 0, batch);
    std::uint32_t first;
    while (const std::uint32_t count = p.claim(batch, false, &first)) {
        if (w.job.node.is_stopped())
            return;
        run_pieces(w, p, first, count);
    }
}

struct measured {
    machine::ticks took;
    unit units;
};

measured run_paced(slot& s, loop_part& p, const work& w, pacing pace, machine::ticks start, bool stays_open) {
    measured m{0, 0};
    std::uint32_t first = 0, count = std::min(pace.batch(), p.map.pieces);
    while (count != 0 && !w.job.node.is_stopped()) {
        run_pieces(w, p, first, count);
        const machine::ticks now = machine::now();
        const bool was_open = pace.open();
        pace.ran(count, now, p.remaining());
        m = {now - start, m.units + p.map.begin_of(first + count) - p.map.begin_of(first)};
        if (pace.open()) {
            // relaxed: the claim below publishes it.
            p.grain.store(pace.grain(), std::memory_order_relaxed);
            if (!was_open)
                mark_busy(s);
        }
        count = p.claim(pace.batch(), pace.open() || stays_open, &first);
    }
    return m;
}

// The caller's or a member's interval, with the members of its subtree.
measured work_off(slot& s, loop_part& p, loop_part* parent, work w, const assignment* team, double ticks_per_unit,
                  bool from_start) {
    const tuning& t = tuned();
    const std::uint32_t below = team ? team->team_last - team->team_first : 0;
    const std::uint32_t planned = below ? planned_children(below, w.last - w.first) : 0;
    p.prepare(w.job, parent, planned);
    std::uint32_t undone = 0;
    if (planned)
        undone = hand_out(s, p, w.job, w.first, &w.last, team->team, team->team_first, team->team_last, planned);

    const machine::ticks start = machine::now();
    p.map = piece_map(w.first, w.last);
    const bool fixed = w.job.mode == detail::balance::fixed;
    const machine::ticks gate = fixed ? ~machine::ticks{0} : t.gate_for(below + 1);
    const double first_batch = ticks_per_unit > 0 ? static_cast<double>(t.gate_for(2)) /
                                                        (ticks_per_unit * static_cast<double>(p.map.each)) : 1;
    pacing pace(fixed ? 1 : static_cast<std::uint32_t>(std::clamp(first_batch, 1.0, 4095.0)),
                fixed ? 1 : share_of(p.map.pieces, s.home.concurrency()), start, gate, t.batch);
    const bool open = !fixed && (from_start || gate == 0);
    const std::uint32_t claimed = std::min(pace.batch(), p.map.pieces);
    if (planned)
        p.publish_shared(claimed, open, undone);
    else
        p.publish(claimed, open);
    call_if_unwatched(s.home);
    return run_paced(s, p, w, pace, start, open);
}

// ---- reports ----

void report_up(loop_part* p) {
    for (;;) {
        // Read first: after the report the part may be used anew.
        loop_part* up = p->parent;
        const void* key = &p->word;
        if (!p->report())
            return;
        if (!up)
            return process_lot().wake_all(key);
        p = up;
    }
}

// One interval below `parent`. False: others are still at work below it, and the last of them reports.
bool run_interval(slot& s, const interval& taken, const assignment* team) {
    loop_job& job = *taken.job;
    std::uint16_t depth;
    // A single unit leaves nothing to take: no part.
    loop_part* p = taken.last - taken.first == 1 ? nullptr : s.open_part(&depth);
    const detail::cancel_node* outer = std::exchange(s.scope, &job.node);
    ++s.nesting;
    try {
        void* accumulator = job.fork ? job.fork(job, taken.first) : nullptr;
        if (p)
            work_off(s, *p, taken.parent, {job, accumulator, taken.first, taken.last}, team, 0, team == nullptr);
        else
            job.run(job, accumulator, taken.first, taken.last);
    } catch (...) {
        fail(job);
    }
    --s.nesting;
    s.scope = outer;
    if (!p)
        return true;
    if (job.node.is_stopped())
        p->drain();
    while (p->is_busy() && take_back(s, *p)) {
    }
    s.close_part(depth);
    return p->leave();
}

// ---- the caller ----

// Idle slots, nearest first, at most `wanted`.
std::uint32_t recruit(slot& s, std::uint16_t* team, std::uint32_t wanted) {
    std::uint32_t n = 0;
    s.home.idle.each(s.index, [&](unsigned i) {
        slot* member = s.home.slot_at(i);
        // After a join the members wait for the next loop: no look at their cells, which would cost a line transfer.
        if (i != s.index && member && (s.team_is_hot || member->cell.is_waiting())) {
            member->cell.prefetch();
            team[n++] = static_cast<std::uint16_t>(i);
        }
        return n < wanted;
    });
    return n;
}

// A team whose members have two hand-offs' worth of work each.
std::uint32_t team_size(const slot& s, const loop_job& job, const prediction& guess) {
    const tuning& t = tuned();
    std::uint32_t most = std::min(s.home.concurrency() - 1, max_team);
    if (job.units - 1 < most)
        most = static_cast<std::uint32_t>(job.units - 1);
    if (!guess.is_known() || job.mode == detail::balance::fixed)
        return most;
    const double worth = guess.total_ticks() / (2 * static_cast<double>(t.handoff));
    return worth < most ? std::max(1u, static_cast<std::uint32_t>(worth)) : most;
}

void sleep_until_joined(slot& s, loop_part& p) {
    arena& a = s.home;
    a.bell.raise();
    if (!p.leave())
        process_lot().sleep(&p.word, &a, [&] { return p.is_joined(); });
}

void join(slot& s, loop_part& p, const loop_job& job) {
    if (p.is_joined())
        return;
    const tuning& t = tuned();
    machine::ticks since = machine::now();
    look_timer timer(since, t.watch_least, t.watch_most);
    while (!p.is_joined()) {
        machine::pause();
        const machine::ticks now = machine::now();
        if (timer.is_due(now) && (take_back(s, p) || look_and_take(s, &job))) {
            since = machine::now();
            timer = look_timer(since, t.watch_least, t.watch_most);
        } else if (now - since > t.spin) {
            sleep_until_joined(s, p);
            since = machine::now();
            timer = look_timer(since, t.watch_least, t.watch_most);
        }
    }
}

// With nobody to help, or only one unit: a plain call.
void run_unpublished(slot& s, loop_job& job) {
    const detail::cancel_node* outer = std::exchange(s.scope, &job.node);
    try {
        if (job.mode == detail::balance::fixed || job.units == 1) {
            job.run(job, nullptr, 0, job.units);
        } else {
            // In sixteen parts, so that a cancelled loop ends early.
            const unit step = (job.units - 1) / 16 + 1;
            for (unit first = 0; first < job.units && !job.node.is_stopped(); first += step)
                job.run(job, nullptr, first, job.units - first < step ? job.units : first + step);
        }
    } catch (...) {
        fail(job);
    }
    s.scope = outer;
}

void run_published(slot& s, loop_job& job, loop_part& p) {
    const tuning& t = tuned();
    const prediction guess(*job.site, job.units);
    way chosen = t.distribute == distribution::steal ? way::alone : guess.choose(++s.loops, t);
    if (job.mode == detail::balance::fixed)
        chosen = way::team;

    std::uint16_t members[max_team];
    assignment team;
    if (chosen == way::team) {
        team.team = members;
        team.team_last = recruit(s, members, team_size(s, job, guess));
        s.team_is_hot = false;
    }
    const work all{job, nullptr, 0, job.units};
    const machine::ticks start = chosen == way::team ? machine::now() : 0;
    const detail::cancel_node* outer = std::exchange(s.scope, &job.node);
    measured own{0, 0};
    try {
        if (chosen == way::blind) {
            p.prepare(job, nullptr, 0);
            run_blind(s, p, all);
        } else {
            own = work_off(s, p, nullptr, all, &team, guess.ticks_per_unit(), false);
        }
    } catch (...) {
        fail(job);
    }
    s.scope = outer;
    if (job.node.is_stopped())
        p.drain();
    const bool helped = !p.is_joined();
    join(s, p, job);
    if (team.team_last != 0)
        s.team_is_hot = true;
    if (chosen == way::blind) {
        if (helped)
            guess.doubt(t);
    } else if (own.units != 0) {
        guess.learn_solo(own.took, own.units);
        if (team.team_last != 0)
            guess.learn_team(machine::now() - start);
    }
}

}  // namespace

void help(slot& s, interval taken, const assignment* team) {
    __builtin_prefetch(taken.job);
    __builtin_prefetch(reinterpret_cast<const char*>(taken.job) + cache_line);
    for (;;) {
        loop_part* parent = taken.parent;
        if (!run_interval(s, taken, team))
            return;
        team = nullptr;
        // More of the same part, or the report: one operation on the parent's word either way.
        const loop_word w = parent->look();
        if (w.open() && w.remaining() > parent->grain.load(std::memory_order_relaxed)) {
            if (const auto more = parent->steal_more(w)) {
                taken = *more;
                continue;
            }
        }
        // Before the report: a caller that has seen it finds this slot ready.
        if (s.is_worker && s.nesting == 0)
            wait_for_hand_off(s);
        return report_up(parent);
    }
}

namespace detail {

void run_loop(loop_job& job) {
    if (job.units == 0)
        return;
    slot& s = this_slot();
    if (job.context)
        job.context->bind(job.node, s.scope);
    else
        job.node.parent = s.scope;
    if (job.node.is_stopped())
        return;
    std::uint16_t depth;
    loop_part* p = job.units == 1 || s.home.concurrency() == 1 ? nullptr : s.open_part(&depth);
    if (p) {
        run_published(s, job, *p);
        s.close_part(depth);
    } else {
        run_unpublished(s, job);
    }
    if (job.failed.load(std::memory_order_relaxed)) [[unlikely]] {
        if (job.context)
            job.context->cancel_group_execution();
        std::rethrow_exception(std::move(job.error));
    }
}

unsigned concurrency() noexcept {
    const slot* s = current_slot;
    return s ? s->home.concurrency() : process_tuning().threads;
}

}  // namespace detail
}  // namespace bough
