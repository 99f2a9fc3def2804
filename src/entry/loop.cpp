// A loop's life as its caller sees it. share/README.md is the protocol.

#include "bough/detail/loop_job.h"

#include <algorithm>
#include <utility>

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

constexpr unsigned max_team = loop_word::max_helpers;

// A team whose members have two hand-offs' worth of work each.
std::uint32_t team_size(const slot& s, const loop_job& job, const prediction& guess) {
    const tuning& t = tuned();
    std::uint32_t most = std::min(s.home.concurrency() - 1, max_team);
    if (job.units - 1 < most)
        most = static_cast<std::uint32_t>(job.units - 1);
    if (most == 1 || !guess.is_known() || job.mode == detail::balance::fixed)
        return most;
    const double worth = guess.total_ticks() / (2 * static_cast<double>(t.handoff));
    return worth < most ? std::max(1u, static_cast<std::uint32_t>(worth)) : most;
}

// Idle slots, nearest first, at most `wanted`; returns their number.
std::uint32_t recruit(slot& s, std::uint16_t* team, std::uint32_t wanted) {
    std::uint32_t n = 0;
    const unsigned allowed = crew_limits.workers_allowed();
    wanted = std::min(wanted, allowed);
    // Others may be at work elsewhere, beyond the limit; and who has to go is kept from it by nobody.
    if (wanted == 0 || crew_limits.has_more_than(allowed) || is_requested_in_higher_priority(s.home))
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

// Waits for the helpers. Work of its own loop and of what is nested in it comes first. Having found none for a while
// the caller takes anything: pieces of a nested loop may lie with a thief, where nothing shows whose they are. With
// half of its stack used it takes its own tasks besides, and nothing else.
class until_joined : public wait_inside_a_call {
public:
    until_joined(slot& s, loop_part& p, const loop_job& job) : wait_inside_a_call(s), p_(p), job_(job) {}

    bool is_done() const { return p_.is_joined(); }
    static bool run_own() { return false; }
    static look_timer begin(machine::ticks now) { return {now, tuned().watch_least, tuned().watch_most}; }
    found find(machine::ticks now) {
        is_stuck_ = now - idle_since_ > 2 * tuned().watch_most && !s_.only_below;
        if (is_stuck_)  // another thread may wait for what lies in this one's queue, for itself alone
            local_queue::expose_all_here();
        found f = take_back(s_, p_);
        if (!f && is_stuck_ && leaves_work_to_others(s_))
            f = find_work(s_, &job_);
        if (!f)
            f = find_work(s_, is_stuck_ ? nullptr : &job_);
        return f;
    }
    void worked() {
        if (!is_stuck_)  // its own loop goes on: be patient again
            idle_since_ = machine::now();
    }
    static void found_nothing() {}
    // It stays: what woke it may have to be looked at soon.
    bool give_up() {
        if (leaves_work_to_others(s_))
            nap();  // it is not called for pieces of its own loop
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

// So many units a call. Critical tasks are run in between: one of them may be what a later unit waits for.
void run_in_steps(slot& s, loop_job& job, unit step) {
    for (unit first = 0; first < job.units && !job.node.is_stopped(); first += step) {
        if (has_critical_tasks(s)) [[unlikely]]
            run_critical_tasks(s);
        job.run(job, nullptr, first, std::min(first + step, job.units));
    }
}

// With nobody to help, or only one unit: plain calls, in chunks if it is long, so that a cancelled loop ends early. In
// no fewer than oneTBB's partitioners would make: four, and one for each unit of simple_partitioner.
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
        if (!job.node.is_stopped())
            guess.learn_solo(machine::now() - start, job.units);
    } catch (...) {
        fail(job);
    }
}

// What helpers have read or written and the next loop will write is fetched back while nobody waits for it: otherwise
// the next hand-off would wait for every one of these lines.
void fetch_back(const slot& s, const loop_part& p, const loop_job& job) {
    for (std::uint16_t i = 0; i < p.child_count; ++i)
        s.home.slot_at(p.children[i].slot)->cell.prefetch();
    machine::prefetch_to_write(&p.word);
    machine::prefetch_to_write(&p.job);
    for (unsigned line = 0; line < job_lines; ++line)
        machine::prefetch_to_write(reinterpret_cast<const char*>(&job) + line * cache_line);
}

// For helpers, where it is not the arena's.
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

// With the clock; returns what this thread did.
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
        fetch_back(s, p, job);
    }
    return own;
}

assignment recruit_team(slot& s, const loop_job& job, const prediction& guess, std::uint16_t* members) {
    assignment team;
    team.team = members;
    team.team_last = static_cast<std::uint16_t>(recruit(s, members, team_size(s, job, guess)));
    s.team_is_hot = false;
    if (units_have_slots(s, job))  // the last units are the nearest members'
        std::reverse(members, members + team.team_last);
    return team;
}

// Handed off as the time before, by chunks.
BOUGH_NOINLINE measured run_again(slot& s, loop_job& job, loop_part& p, const prediction& guess) {
    std::uint16_t members[max_team];
    const assignment team = recruit_team(s, job, guess, members);
    const replay again(s, job, members, team.team_last);
    const double units = again.units_per_chunk();
    measured own =
        run_with_clock(s, job, p, team, guess.ticks_per_unit() * units, guess.front_ticks_per_unit() * units);
    own.front = static_cast<float>(own.front / units);
    if (own.units != 0)
        own.units = std::max(unit{1}, static_cast<unit>(static_cast<double>(own.units) * units));
    return own;
}

// Is a loop of an affinity_partitioner long enough to be balanced? A shorter one is shared out evenly each time.
bool is_worth_replaying(const loop_job& job, const prediction& guess) {
    constexpr double shortest = 16;  // hand-offs
    return job.map && guess.is_known() &&
           guess.total_ticks() > shortest * static_cast<double>(tuned().handoff);
}

// Alone, or with a team. `start`: now, where it is to be learned what that takes, else 0.
BOUGH_NOINLINE void run_timed_loop(slot& s, loop_job& job, loop_part& p, const prediction& guess, way chosen,
                                   machine::ticks start) {
    measured own;
    if (chosen == way::team && is_worth_replaying(job, guess)) [[unlikely]] {
        own = run_again(s, job, p, guess);
    } else {
        std::uint16_t members[max_team];
        assignment team;
        if (chosen == way::team)
            team = recruit_team(s, job, guess, members);
        own = run_with_clock(s, job, p, team, guess.ticks_per_unit(), guess.front_ticks_per_unit());
    }
    if (own.units != 0 && !job.node.is_stopped()) {
        guess.learn_solo(own.took, own.units);
        guess.learn_front(own.front);
        if (start != 0)
            guess.learn_way(chosen, machine::now() - start);  // as a team, also where nobody was free
    }
}

// ---- loops too short for the clock ----

// Published, and run in one batch for each thread. False if not all was run: it was helped, or stopped.
template <class Map>
inline bool run_blind(slot& s, loop_job& job, loop_part& p, const Map& map) {
    const detail::cancel_node* const outer = std::exchange(s.scope, &job.node);
    ++s.nesting;
    std::uint32_t left = map.pieces;
    try {
        const checks::running here(job);
        const std::uint32_t batch = most_in_a_batch(s, job, left);
        p.publish_whole(job, s.isolation, map, batch);
        call_if_unwatched(s.home);
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
    return left == 0 && p.is_joined();  // some look at the job, as helpers that have taken nothing
}

BOUGH_NOINLINE void finish_helped(slot& s, loop_job& job, loop_part& p) {
    finish_part(s, job, p);
    prediction(*job.site, job.units).learn_blind(true, tuned(), s.turns);
}

// Whether nothing is special about the loop and where it is called.
inline bool is_plain(const slot& s, const loop_job& job) {
    return !job.context && job.mode == detail::balance::adaptive && s.nesting < unchecked_nesting;
}

// Whether run_short_loop() serves: a loop like it was found to be short.
inline bool is_short(slot& s, const loop_job& job) {
    return job.units - 2 < loop_word::max_pieces - 2 && is_plain(s, job) &&
           prediction::is_blind_turn(*job.site, job.units, s.turns);
}

// All that a short loop pays, and no call but the body's.
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

// ---- loops like which others were worth a team ----

inline bool is_shared(slot& s, const loop_job& job) {
    return is_plain(s, job) && prediction::is_team_turn(*job.site, job.units, s.turns);
}

// The way to the first hand-off without a choice on it.
BOUGH_NOINLINE void run_shared_loop(slot& s, loop_job& job) {
    const arena_fp_scope fp(s);
    job.node.put_below(s.scope);
    if (job.node.is_stopped()) [[unlikely]]
        return;
    note_fp_settings(s, job);
    loop_part* p = s.open_part();
    if (!p) [[unlikely]]
        return run_unpublished(s, job);
    run_timed_loop(s, job, *p, prediction(*job.site, job.units), way::team, 0);
    s.close_part(*p);
}

// ---- any loop ----

struct choice {
    way goes;
    bool is_judged;  // not settled before: there is something to learn
};

choice choose_way(slot& s, const loop_job& job, const prediction& guess) {
    const tuning& t = tuned();
    if (job.mode == detail::balance::fixed)
        return {way::team, false};
    if (prediction::is_blind_turn(*job.site, job.units, s.turns))
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
    else if (run_blind(s, job, p, piece_map(0, job.units)))
        guess.learn_blind(false, t, s.turns);
    else
        finish_helped(s, job, p);
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

// Threads that may come for a loop now. max_concurrency() says how many slots there are.
unsigned concurrency() {
    const slot* s = current_slot;
    if (!s)
        process_crew();  // before it is made there is no limit
    else if (!s->home.is_default)
        return s->home.concurrency();
    const unsigned slots = s ? s->home.concurrency() : process_tuning().threads;
    return std::min(slots, crew_limits.limit.load(std::memory_order_relaxed));
}

}  // namespace detail
}  // namespace bough
