// A loop's life as its caller sees it. share/README.md is the protocol.

#include "bough/detail/loop_job.h"

#include <algorithm>
#include <utility>

#include "bough/context.h"
#include "machine/clock.h"
#include "machine/pause.h"
#include "park/lot.h"
#include "share/prediction.h"
#include "steal/look_timer.h"
#include "worker/arena_fp_scope.h"
#include "worker/crew.h"
#include "worker/fibers.h"
#include "worker/hand_out.h"
#include "worker/nesting.h"
#include "worker/this_thread.h"
#include "worker/work_off.h"
#include "worker/worker.h"

namespace bough {
namespace {

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

void sleep_until_joined(slot& s, loop_part& p) {
    if (!p.leave())
        sleep_in_arena(s, &p.word, [&] { return p.is_joined(); });
}

// Waits for the helpers. Work of its own loop and of what is nested in it comes first. Having found none for a while the
// caller takes anything: pieces of a nested loop may lie with a thief, where nothing shows whose they are.
BOUGH_NOINLINE void join(slot& s, loop_part& p, const loop_job& job) {
    const tuning& t = tuned();
    const auto joined = [&p] { return p.is_joined(); };
    machine::ticks idle_since = machine::now();
    while (!p.is_joined()) {
        machine::ticks awake_since = machine::now();
        look_timer timer(awake_since, t.watch_least, t.watch_most);
        while (!p.is_joined()) {
            const machine::ticks now = machine::now();
            const loop_job* below = now - idle_since > 2 * t.watch_most ? nullptr : &job;
            if (let_others_on(s, joined))
                break;
            if (timer.is_due(now) && (take_back(s, p) || look_and_take(s, below))) {
                if (below)  // its own loop goes on: be patient again
                    idle_since = machine::now();
                break;
            }
            if (now - awake_since > t.spin) {
                sleep_until_joined(s, p);
                awake_since = machine::now();
            }
            machine::pause();
        }
    }
}

// With nobody to help, or only one unit: a plain call, in chunks if it is long, so that a cancelled loop ends early.
BOUGH_NOINLINE void run_unpublished(slot& s, loop_job& job) {
    const prediction guess(*job.site, job.units);
    const in_user_code inside(s, &job.node, s.isolation);
    try {
        if (job.units == 1 ||
            (guess.is_known() && guess.total_ticks() < 4 * static_cast<double>(tuned().batch)))
            return job.run(job, nullptr, 0, job.units);
        const machine::ticks start = machine::now();
        run_long(s, nullptr, {job, nullptr, 0, job.units}, guess.ticks_per_unit());
        if (!job.node.is_stopped())
            guess.learn_solo(machine::now() - start, job.units);
    } catch (...) {
        fail(job);
    }
}

// What helpers have read or written and the next loop will write is fetched back while nobody waits for it: otherwise the
// next hand-off would wait for every one of these lines.
void fetch_back(const slot& s, const loop_part& p, const loop_job& job) {
    for (std::uint16_t i = 0; i < p.child_count; ++i)
        s.home.slot_at(p.children[i].slot)->cell.prefetch();
    machine::prefetch_to_write(&p.word);
    machine::prefetch_to_write(&p.job);
    machine::prefetch_to_write(&job);
    machine::prefetch_to_write(reinterpret_cast<const char*>(&job) + cache_line);
}

void finish_part(slot& s, loop_job& job, loop_part& p) {
    if (p.remaining() != 0) [[unlikely]]  // the job was stopped
        p.drain();
    if (!p.is_joined()) [[unlikely]]
        join(s, p, job);
}

void run_blind_loop(slot& s, loop_job& job, loop_part& p, const prediction& guess) {
    bool was_helped = false;
    try {
        const in_user_code inside(s, &job.node, s.isolation);
        p.prepare(job, nullptr, s.isolation, 0);
        was_helped = !run_blind(s, p, {job, nullptr, 0, job.units});
    } catch (...) {
        fail(job);
    }
    finish_part(s, job, p);
    guess.learn_blind(was_helped, tuned());
}

// With the clock: alone, or with a team.
BOUGH_NOINLINE void run_timed_loop(slot& s, loop_job& job, loop_part& p, const prediction& guess,
                                   way chosen) {
    const machine::ticks start = guess.wants_to_know(chosen, s.loops, tuned()) ? machine::now() : 0;
    std::uint16_t members[max_team];
    assignment team;
    if (chosen == way::team) {
        team.team = members;
        team.team_last = static_cast<std::uint16_t>(recruit(s, members, team_size(s, job, guess)));
        s.team_is_hot = false;
    }
    measured own{0, 0, 0};
    try {
        const in_user_code inside(s, &job.node, s.isolation);
        own = work_off(s, p, nullptr, {job, nullptr, 0, job.units}, team, guess.ticks_per_unit(),
                       guess.front_ticks_per_unit(), false);
    } catch (...) {
        fail(job);
    }
    finish_part(s, job, p);
    if (team.team_last != 0) {
        s.team_is_hot = true;
        fetch_back(s, p, job);
    }
    if (own.units != 0 && !job.node.is_stopped()) {
        guess.learn_solo(own.took, own.units);
        guess.learn_front(own.front);
        if (start != 0)
            guess.learn_way(chosen, machine::now() - start);  // as a team, also where nobody was free
    }
}

way choose_way(slot& s, const loop_job& job, const prediction& guess) {
    if (job.mode == detail::balance::fixed)
        return way::team;
    if (guess.is_blind_again())
        return way::blind;
    const tuning& t = tuned();
    return t.distribute == distribution::steal ? way::alone : guess.choose(++s.loops, t);
}

void run_published(slot& s, loop_job& job, loop_part& p) {
    const prediction guess(*job.site, job.units);
    const way chosen = choose_way(s, job, guess);
    if (chosen == way::blind)
        run_blind_loop(s, job, p, guess);
    else
        run_timed_loop(s, job, p, guess, chosen);
}

void run(slot& s, loop_job& job) {
    loop_part* p = job.units == 1 || s.home.concurrency() == 1 ? nullptr : s.open_part();
    if (!p)
        return run_unpublished(s, job);
    run_published(s, job, *p);
    s.close_part(*p);
}

}  // namespace

namespace detail {

void run_loop(loop_job& job) {
    if (job.units == 0)
        return;
    slot& s = this_slot();
    check_nesting(s);
    const bound_node bound(job.node, job.context, s.scope);
    const arena_fp_scope fp(s);
    job.fp_settings = s.fp_settings;
    job.has_fp_settings = s.fp_settings != 0;
    if (!job.node.is_stopped())
        run(s, job);
    leave_if_stacks_are_left(s);
    if (job.failed.load(std::memory_order_relaxed)) [[unlikely]] {
        if (job.context)
            job.context->cancel_group_execution();
        std::rethrow_exception(std::move(job.error));
    }
}

unsigned concurrency() noexcept {
    const slot* s = current_slot;
    if (!s)
        return process_tuning().threads;
    const unsigned seats = s->home.concurrency();
    // A thread's own arena has seats for all that a limit might ever allow.
    return s->home.is_default ? std::min(seats, crew_limits.limit.load(std::memory_order_relaxed)) : seats;
}

}  // namespace detail
}  // namespace bough
