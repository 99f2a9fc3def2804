// Runs a loop, from the caller's side. share/README.md has the protocol.

#include "bough/detail/loop_job.h"

#include <algorithm>
#include <utility>

#include "balancing.h"
#include "bough/context.h"
#include "bough/detail/raise.h"
#include "machine/clock.h"
#include "park/parking_lot.h"
#include "running.h"
#include "share/prediction.h"
#include "steal/look_timer.h"
#include "worker/arena_fp_scope.h"
#include "worker/crew.h"
#include "worker/hand_off.h"
#include "worker/nesting.h"
#include "worker/rare.h"
#include "worker/replay.h"
#include "worker/this_thread.h"
#include "worker/wait.h"
#include "worker/work_off.h"
#include "worker/worker.h"

namespace bough {
namespace {

// The numbers of a team's members lie on the caller's stack: 2 KiB of it, on machines that have so many threads. A part
// counts its own children only, so a team may be of any size.
constexpr std::uint32_t max_team = 1023, small_team = 64;

// How many members the loop's team should have: so many that each has work for the time of two hand-offs. As many as
// possible if the cost of the loop is not known, or if static_partitioner has cut it.
std::uint32_t team_size(const slot& s, const loop_job& job, const prediction& guess, std::uint32_t most) {
    const tuning& t = tuned();
    most = std::min(s.home.concurrency() - 1, most);
    if (job.units - 1 < most)
        most = static_cast<std::uint32_t>(job.units - 1);
    if (most == 1 || !guess.is_known() || job.mode == detail::balance::fixed)
        return most;
    const double worth = guess.total_ticks_alone(t) / (2 * static_cast<double>(t.handoff));
    return worth < most ? std::max(1u, static_cast<std::uint32_t>(worth)) : most;
}

// How many things that came before the loop wait for an idle thread: this slot's tasks, pieces of the loops around it,
// and another arena that waits for a worker. The loop may wait for them, so each keeps one idle thread from its team.
std::size_t older_things(slot& s) {
    return s.queue.size() + s.isolated.size() + (crew_limits.is_requested_elsewhere(s.home) ? 1 : 0) +
           s.pieces_in_outermost(s.used_parts() - 1u);
}

// Chooses idle slots, at most `wanted`, in the order of their numbers from `from` on. Returns how many.
std::uint32_t recruit(slot& s, unsigned from, std::uint16_t* team, std::uint32_t wanted) {
    const unsigned allowed = crew_limits.workers_allowed();
    wanted = std::min(wanted, allowed);
    // No helpers while more workers are active than the limit allows: some may be at work in other arenas. No helpers
    // while an arena of higher priority waits. Otherwise back-to-back loops would keep workers here that must leave.
    if (wanted == 0 || crew_limits.has_more_than(allowed) || crew_limits.is_requested_higher(s.home))
        return 0;
    const std::size_t older = older_things(s);
    // After a join the members of the last team wait for the next loop. So this thread does not look at their cells:
    // each look would cost the transfer of a cache line. But a thread that is counted on must be idle.
    const bool trusts_bits = s.team_is_hot && older == 0;
    s.home.idle.prefetch();
    if (trusts_bits)
        return s.home.idle.numbers(from, s.index, team, wanted);
    std::uint32_t n = 0;
    std::size_t idle = 0;
    s.home.idle.each(from, [&](unsigned i) {
        if (i == s.index || !s.home.slot_at(i)->cell.is_waiting())
            return true;
        if (n < wanted)
            team[n++] = static_cast<std::uint16_t>(i);
        return ++idle < wanted + older;
    });
    return static_cast<std::uint32_t>(std::min<std::size_t>(n, idle - std::min(idle, older)));
}

// The caller of a loop waits for its helpers. It takes work of its own loop, and of loops nested in that, first. When
// it has found none for a while, it takes anything: a thief may hold pieces of a nested loop, where nothing shows to
// which loop they belong. If the caller has used half of its stack, then besides its own loop's work it takes only
// tasks of its own slot, and critical tasks.
class until_joined : public wait_inside_a_call {
public:
    until_joined(slot& s, loop_part& p, const loop_job& job) : wait_inside_a_call(s), p_(p), job_(job) {}

    bool is_done() const { return p_.is_joined(); }
    static bool run_own() { return false; }
    static look_timer begin(machine::ticks now) { return {now, tuned().watch_least, tuned().watch_most}; }
    found find(machine::ticks now) {
        is_stuck_ = now - idle_since_ > 2 * tuned().watch_most && !s_.only_below;
        if (is_stuck_)  // another thread may wait for private tasks in this thread's queue
            local_queue::expose_all_here();
        found f = take_back(s_, p_);
        if (!f && is_stuck_)
            f = take_back_task(s_);
        const auto is_joined = [this] { return p_.is_joined(); };
        const wait_end joined(is_joined);
        if (!f && is_stuck_ && leaves_work_to_others(s_))
            f = find_work(s_, &job_, joined);
        if (!f)
            f = find_work(s_, is_stuck_ ? nullptr : &job_, joined);
        return f;
    }
    void worked() {
        if (!is_stuck_)  // the caller's own loop makes progress: the caller is patient again
            idle_since_ = machine::now();
    }
    static void found_nothing() {}
    // The caller stays, and looks on as often as before: it may have to take soon what woke it.
    bool give_up() {
        if (leaves_work_to_others(s_))
            nap();  // no thread wakes the caller for pieces of its own loop
        else if (!p_.leave())
            sleep_in_arena(s_, &p_.word, [&] { return p_.is_joined(); });
        return false;
    }

private:
    loop_part& p_;
    const loop_job& job_;
    machine::ticks idle_since_ = machine::now();
    bool is_stuck_ = false;
};

BOUGH_NOINLINE void join(slot& s, loop_part& p, const loop_job& job) {
    const only_below its(s, &job.node);
    wait(s, until_joined(s, p, job));
}

// Runs the job with `step` units a call. Runs critical tasks in between, as a later unit may wait for one of them.
void run_in_steps(slot& s, loop_job& job, unit step) {
    for (unit first = 0; first < job.units && !job.node.is_stopped(); first += step) {
        if (has_critical_tasks(s)) [[unlikely]]
            run_critical_tasks(s);
        job.run(job, nullptr, first, std::min(first + step, job.units));
    }
}

// Runs a loop without a part, in this thread alone: no other thread can help, or the loop has one unit. The loop is run
// in chunks, so that a cancelled loop ends early. There are about as many chunks as oneTBB's partitioners make: up to
// four if the loop is short, one for each unit with simple_partitioner.
BOUGH_NOINLINE void run_unpublished(slot& s, loop_job& job) {
    const prediction guess(*job.site, job.units);
    const in_user_code inside(s, &job.node, s.isolation);
    const checks::running here(job);
    try {
        if (job.mode == detail::balance::single)
            return run_in_steps(s, job, 1);
        if (job.units == 1 ||
            (guess.is_known() && guess.total_ticks() < 4 * static_cast<double>(tuned().batch)))
            return run_in_steps(s, job, job.units / 4 + 1);
        const machine::ticks start = machine::now();
        call_cost calls;
        run_long(s, nullptr, {job, nullptr, 0, job.units}, guess.ticks_per_unit(), calls);
        if (!job.node.is_stopped() && tuned().predicts)
            guess.learn_solo(machine::now() - start, job.units);
    } catch (...) {
        fail(job);
    }
}

// Prefetches the cache lines that helpers have read or written and that the next loop will write. No thread waits for
// them now. Otherwise the next hand-off would wait for each of them. The members' numbers lie where this loop's lie if
// the next loop is called from the same place.
void fetch_back(const slot& s, const loop_part& p, const loop_job& job, const assignment& team) {
    constexpr unsigned numbers_in_a_line = cache_line / sizeof *team.team;
    for (unsigned first = 0; first < team.team_last; first += numbers_in_a_line)
        machine::prefetch_to_write(team.team + first);
    for (std::uint16_t i = 0; i < p.child_count; ++i)
        s.home.slot_at(p.children[i].slot)->cell.prefetch();
    machine::prefetch_to_write(&p.word);
    machine::prefetch_to_write(&p.job);
    for (unsigned line = 0; line < job_lines; ++line)
        machine::prefetch_to_write(reinterpret_cast<const char*>(&job) + line * cache_line);
}

// Tells the helpers this thread's floating-point settings, if they are not the arena's.
void note_fp_settings(const slot& s, loop_job& job) {
    job.fp_settings = s.fp_settings;
    job.has_fp_settings = s.fp_settings != 0;
}

void finish_part(slot& s, loop_job& job, loop_part& p) {
    if (p.remaining() != 0) [[unlikely]]  // the job was stopped
        p.drain();
    if (!p.is_joined()) [[unlikely]]
        join(s, p, job);
}

// Runs the loop with the clock. Returns what this thread itself ran, and how long that took.
inline measured run_with_clock(slot& s, loop_job& job, loop_part& p, const assignment& team,
                               double ticks_per_unit, double front) {
    measured own{0, 0, 0};
    try {
        const in_user_code inside(s, &job.node, s.isolation);
        const checks::running here(job);
        own = work_off(s, p, nullptr, {job, nullptr, 0, job.units}, team, ticks_per_unit, front, false);
    } catch (...) {
        fail(job);
    }
    finish_part(s, job, p);
    if (team.team_last != 0) {
        s.team_is_hot = true;
        fetch_back(s, p, job, team);
    }
    return own;
}

// `members` has room for `most`.
assignment recruit_team(slot& s, const loop_job& job, const prediction& guess, std::uint16_t* members,
                        std::uint32_t most) {
    assignment team;
    team.team = members;
    // Units that have slots are handed off in the order of those from the caller's on (units_by_slot.h).
    const bool by_slot = units_have_slots(s, job);
    const unsigned from = by_slot ? s.index : first_slot_near(s);
    team.team_last = static_cast<std::uint16_t>(recruit(s, from, members, team_size(s, job, guess, most)));
    s.team_is_hot = false;
    if (by_slot)
        std::reverse(members, members + team.team_last);
    return team;
}

// The members' numbers lie in its frame.
template <std::uint32_t most>
BOUGH_NOINLINE measured run_with_team(slot& s, loop_job& job, loop_part& p, const prediction& guess) {
    std::uint16_t members[most];
    const assignment team = recruit_team(s, job, guess, members, most);
    return run_with_clock(s, job, p, team, guess.ticks_per_unit_alone(tuned()), guess.front_ticks_per_unit());
}

// Hands the loop off in chunks, each to the slot that ran it the last time.
BOUGH_NOINLINE measured run_again(slot& s, loop_job& job, loop_part& p, const prediction& guess) {
    std::uint16_t members[chunk_order::max_members];
    const assignment team = recruit_team(s, job, guess, members, chunk_order::max_members);
    const replay again(s, job, members, team.team_last);
    const double units = again.units_per_chunk();
    measured own = run_with_clock(s, job, p, team, guess.ticks_per_unit_alone(tuned()) * units,
                                  guess.front_ticks_per_unit() * units);
    own.front = static_cast<float>(own.front / units);
    if (own.units != 0)
        own.units = std::max(unit{1}, static_cast<unit>(static_cast<double>(own.units) * units));
    return own;
}

// Is a loop of an affinity_partitioner long enough that threads balance it? Only then a replay is of use: a shorter
// loop is cut the same way each time anyhow.
bool is_worth_replaying(const loop_job& job, const prediction& guess) {
    constexpr double shortest = 16;  // hand-offs
    return job.map && guess.is_known() &&
           guess.total_ticks() > shortest * static_cast<double>(tuned().handoff);
}

// Runs the loop in this thread, other threads only stealing, or with a team. `start`: the time now if the whole loop's
// time is to be learned, else 0.
BOUGH_NOINLINE void run_timed_loop(slot& s, loop_job& job, loop_part& p, const prediction& guess, way chosen,
                                   machine::ticks start) {
    measured own;
    if (chosen != way::team) {
        own =
            run_with_clock(s, job, p, {}, guess.ticks_per_unit_alone(tuned()), guess.front_ticks_per_unit());
    } else if (is_worth_replaying(job, guess)) [[unlikely]] {
        own = run_again(s, job, p, guess);
    } else if (s.home.concurrency() <= small_team) {
        own = run_with_team<small_team>(s, job, p, guess);
    } else {
        own = run_with_team<max_team>(s, job, p, guess);
    }
    // With BOUGH_PREDICT=0 each loop of a call site is its first one.
    if (own.units != 0 && !job.node.is_stopped() && tuned().predicts) {
        guess.learn_solo(own.took, own.units);
        guess.learn_front(own.front);
        if (start != 0)
            guess.learn_way(chosen, machine::now() - start);  // as `team` even if no worker was free
    }
}

// ---- loops too short for the clock ----

// Publishes the loop and runs it in batches, one for each thread of the arena, without the clock. False: a helper took
// some of it, or has not reported yet, or the loop was stopped.
template <class Map>
inline bool run_blind(slot& s, loop_job& job, loop_part& p, const Map& map) {
    const detail::cancel_node* const outer = std::exchange(s.scope, &job.node);
    ++s.nesting;
    std::uint32_t left = map.pieces;
    try {
        const checks::running here(job);
        const std::uint32_t batch = most_in_a_batch(s, job, left);
        p.publish_whole(job, s.isolation, map, batch);
        balancing::publish_part(s);
        call_for_short_loop(s.home);
        std::uint32_t first = 0, count = batch;
        do {
            job.run(job, nullptr, map.begin_of(first), map.begin_of(first + count));
            left -= count;
            if (has_critical_tasks(s) && left != 0) [[unlikely]]
                run_critical_tasks(s);
        } while (left != 0 && !job.node.is_stopped() && (count = p.claim(batch, false, &first)) != 0);
    } catch (...) {
        fail(job);
    }
    --s.nesting;
    s.scope = outer;
    return left == 0 && p.is_joined();  // a thread that only looks at the job counts as a helper, too
}

BOUGH_NOINLINE void finish_helped(slot& s, loop_job& job, loop_part& p) {
    finish_part(s, job, p);
    prediction(*job.site, job.units).learn_blind(true, tuned(), s.turns);
}

// Is nothing special about the loop, or about the place where it is called?
inline bool is_plain(const slot& s, const loop_job& job) {
    return !job.context && job.mode == detail::balance::adaptive && s.nesting < unchecked_nesting;
}

// May run_short_loop() run the loop? Yes if a loop of its call site and size was found to be short.
inline bool is_short(slot& s, const loop_job& job) {
    return job.units - 2 < loop_word::max_pieces - 2 && is_plain(s, job) &&
           prediction::is_blind_turn(*job.site, job.units, s.turns);
}

// All that a short loop costs. On the usual path no function is called but the body.
inline void run_short_loop(slot& s, loop_job& job) {
    const arena_fp_scope fp(s);
    job.node.put_below(s.scope);
    if (job.node.is_stopped()) [[unlikely]]
        return;
    loop_part* p = s.open_part();
    if (!p) [[unlikely]]
        return run_unpublished(s, job);
    if (s.fp_settings != 0) [[unlikely]]
        note_fp_settings(s, job);
    if (!run_blind(s, job, *p, unit_map{static_cast<std::uint32_t>(job.units)})) [[unlikely]]
        finish_helped(s, job, *p);
    s.close_part(*p);
}

void run_blind_of_any_size(slot& s, loop_job& job, loop_part& p, const prediction& guess) {
    if (run_blind(s, job, p, piece_map(0, job.units)))
        guess.learn_blind(false, tuned(), s.turns);
    else
        finish_helped(s, job, p);
}

// Is the loop a short one inside of a part of which other threads can still take something? Then idle threads take
// that: a part of the outer loop is worth more to them. `p`, the loop's own part, is the slot's last one.
inline bool outer_work_goes_first(const slot& s, const loop_job& job, const prediction& guess) {
    const unsigned parts = s.used_parts();
    return parts >= 2 && job.mode != detail::balance::fixed && guess.is_known() &&
           guess.wants_to_know(tuned()) &&
           const_cast<slot&>(s).part(static_cast<std::uint16_t>(parts - 2)).remaining() != 0;
}

// ---- loops of a call site and size that was found to be worth a team ----

inline bool is_shared(slot& s, const loop_job& job) {
    return is_plain(s, job) && prediction::is_team_turn(*job.site, job.units, s.turns);
}

// The way of the loop is known already, so nothing is judged before the first hand-off.
BOUGH_NOINLINE void run_shared_loop(slot& s, loop_job& job) {
    const arena_fp_scope fp(s);
    job.node.put_below(s.scope);
    if (job.node.is_stopped()) [[unlikely]]
        return;
    note_fp_settings(s, job);
    loop_part* p = s.open_part();
    if (!p) [[unlikely]]
        return run_unpublished(s, job);
    const prediction guess(*job.site, job.units);
    if (outer_work_goes_first(s, job, guess))
        run_blind_of_any_size(s, job, *p, guess);
    else
        run_timed_loop(s, job, *p, guess, way::team, 0);
    s.close_part(*p);
}

// ---- any loop ----

struct choice {
    way goes;
    bool is_judged;  // chosen only now: there is something to learn
};

choice choose_way(slot& s, const loop_job& job, const prediction& guess) {
    const tuning& t = tuned();
    if (job.mode == detail::balance::fixed)
        return {way::team, false};
    if (prediction::is_blind_turn(*job.site, job.units, s.turns) || outer_work_goes_first(s, job, guess))
        return {way::blind, false};
    if (prediction::is_team_turn(*job.site, job.units, s.turns))
        return {way::team, false};
    return {t.distribute == distribution::steal ? way::alone : guess.choose(++s.loops, t, s.turns), true};
}

BOUGH_NOINLINE void run_by_choice(slot& s, loop_job& job, loop_part& p, const prediction& guess) {
    const tuning& t = tuned();
    const auto [goes, is_judged] = choose_way(s, job, guess);
    job.slot = s.index;
    if (goes != way::blind)
        run_timed_loop(s, job, p, guess, goes, is_judged && guess.wants_to_know(t) ? machine::now() : 0);
    else
        run_blind_of_any_size(s, job, p, guess);
}

BOUGH_NOINLINE void run_any_loop(slot& s, loop_job& job) {
    check_nesting(s);
    const detail::bound_node bound(job.node, job.context, s.scope);
    const arena_fp_scope fp(s);
    note_fp_settings(s, job);
    if (job.node.is_stopped())
        return;
    loop_part* p = job.units == 1 || s.home.concurrency() == 1 ? nullptr : s.open_part();
    if (!p)
        return run_unpublished(s, job);
    run_by_choice(s, job, *p, prediction(*job.site, job.units));
    s.close_part(*p);
}

[[noreturn]] BOUGH_COLD void rethrow_error(loop_job& job) {
    if (job.context)
        job.context->cancel_group_execution();
    detail::raise_again(std::move(job.error));
}

}  // namespace

namespace detail {

void run_loop(loop_job& job) {
    if (job.units == 0)
        return;
    const checks::inside_call here("a loop", &job.node);
    slot& s = this_slot();
    if (is_short(s, job)) [[likely]]
        run_short_loop(s, job);
    else if (is_shared(s, job))
        run_shared_loop(s, job);
    else
        run_any_loop(s, job);
    rare::after_wait(s);
    if (job.failed.load(std::memory_order_relaxed)) [[unlikely]]
        rethrow_error(job);
}

// How many threads may work on a loop now, the caller included. max_concurrency() says how many slots there are.
unsigned concurrency() {
    const slot* s = current_slot;
    if (!s)
        process_crew();  // makes the crew if need be, which sets the limit
    else if (!s->home.is_default)
        return s->home.concurrency();
    const unsigned slots = s ? s->home.concurrency() : process_tuning().threads;
    return std::min(slots, crew_limits.limit.load(std::memory_order_relaxed));
}

}  // namespace detail
}  // namespace bough
