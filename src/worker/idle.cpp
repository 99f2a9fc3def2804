// A worker between two pieces of work: it waits for a hand-off, watches, or leaves. park/README.md has the roles and
// the argument that nothing published is forgotten.

#include <algorithm>
#include <utility>

#include "bough/exports/fp_settings.h"
#include "machine/affinity.h"
#include "machine/clock.h"
#include "machine/pause.h"
#include "machine/thread.h"
#include "machine/topology.h"
#include "steal/look_timer.h"
#include "worker/crew.h"
#include "worker/leaving.h"
#include "worker/rare.h"
#include "worker/wait.h"
#include "worker/worker.h"

namespace bough {
namespace {

using leaving::leaves;
using leaving::takes;

// How long an idle worker waits for more work.
machine::ticks patience_of(const slot& s) {
    const tuning& t = tuned();
    constexpr unsigned longer_in_a_phase = 8;  // times
    const arena& a = s.home;
    const unsigned factor = a.phases.load(std::memory_order_relaxed) != 0 ? longer_in_a_phase : 1;
    // Once in a process: those that came before somebody knew what lies near what leave, and sit better from then on.
    if (s.sat_down_blindly && machine::uneven_topology())
        return 0;
    if (a.leave_at_once.load(std::memory_order_relaxed) || a.handles.load(std::memory_order_relaxed) == 0 ||
        (a.leaves_fast && factor == 1))
        return 0;
    return (s.is_watching ? t.watch : s.spins ? t.stay : 0) * factor;
}

// Asked between two pieces of work: a worker that finds more each time would stay for ever, and where a thread
// publishes one task after the other, there is always more.
void note_turn(slot& s) {
    if (s.is_turn_over || crew_limits.dismissing.load(std::memory_order_relaxed))
        return;
    s.is_turn_over =
        crew_limits.requests.claim_end_of_turn(crew_limits_type::waiting(s.home), s.arrived, tuned().turn);
}

// ---- roles ----

bool try_watch(slot& s) {
    s.is_watching = balancing::may_watch(s) && s.home.watch.try_watch(s.index + 1u);
    return s.is_watching;
}

// Announces that the worker goes, which counts it off, then decides once more. False: it was counted in again, and
// stays.
bool try_leave(slot& s, bool is_requested_elsewhere) {
    arena& a = s.home;
    const auto goes_all_the_same = [&] {
        return leaving::decide(leaving::read(s, leaving::announced::yes, is_requested_elsewhere)).leaves ==
               leaves::always;
    };
    // A worker that is wanted elsewhere does not stay for threads that have been asked: one that waits for what that
    // arena runs would never answer. Who answers later reads the alarm, which is raised here (balance/README.md).
    const reach wanted{.asked = !is_requested_elsewhere};
    return a.watch.try_leave(
        std::exchange(s.is_watching, false),
        [&] { return a.has_published_work(wanted, s.inherits_tasks ? nullptr : &s); }, goes_all_the_same,
        [&a] { call(a); });
}

// After so many tasks that other threads sent, by letter or by hand-off, a worker looks for other work first. Else a
// thread that sends one task after the other would keep it from what other threads publish.
constexpr std::uint8_t sent_between_looks = 16;
bool must_look_first(const slot& s) {
    return s.sent_tasks >= sent_between_looks;
}

void run_handed(slot& s, const assignment& handed) {
    if (handed.whole && !must_look_first(s))
        ++s.sent_tasks;
    run(s, {found::kind::handed, handed});
}

// Most looks of an idle worker are at its cell, so that it begins a line transfer after it was handed something. It
// pauses after each look: otherwise the CPU speculates loads past the one that misses, and has to take them back.
// Without pauses a transfer there and back took 130 ns, not 100. Reading the clock each time would cost a tenth of a
// hand-off.
bool run_what_was_handed(slot& s) {
    constexpr int polls = 16;
    for (int i = 0; i < polls; ++i) {
        if (const auto handed = s.cell.receive()) {
            run_handed(s, *handed);
            return true;
        }
        machine::pause();
    }
    return false;
}

// The worker stops waiting for a hand-off, to do something else. True: it had been handed work, and has run it.
bool runs_what_came_last(slot& s) {
    const auto handed = stop_waiting(s);
    if (handed)
        run_handed(s, *handed);
    return handed.has_value();
}

bool has_tasks_in_queues(const slot& s) {
    return s.queue.has_tasks() || s.isolated.has_tasks();
}

bool goes(const slot& s) {
    return leaving::decide_for(s).takes == takes::nothing;
}

// A worker treats the tasks that another thread left in its slot like tasks of other slots: when it must go, it leaves
// them.
bool leaves_what_it_found(const slot& s) {
    return s.inherits_tasks && goes(s);
}

// Letters are tasks of other slots, too. A worker that must go, or may take only what is enqueued, leaves them closed:
// their tasks lie in their senders' queues.
bool may_open_letters(slot& s) {
    return has_letters(s) && !must_look_first(s) && leaving::decide_for(s).takes == takes::everything;
}
bool run_letter(slot& s) {
    if (!may_open_letters(s))
        return false;
    ++s.sent_tasks;
    return run_at_work_if_any(s, find_mailed_task(s));
}

// False for a worker that leaves what it found: the first task that it took would come from there.
bool has_own_work(slot& s) {
    if (leaves_what_it_found(s))
        return false;
    return may_open_letters(s) || has_tasks_in_queues(s) || s.home.critical.has_tasks() ||
           (s.home.enqueued.has_tasks() && !goes(s));
}

// What is enqueued comes before letters, as it comes before what could be stolen (serve()).
bool run_next_that_came(slot& s) {
    return run_queued_task(s) || (!goes(s) && run_at_work_if_any(s, find_streamed_task(s))) || run_letter(s);
}

// Runs what has come to this slot or to no slot in particular: an assignment, tasks, mail.
bool run_what_came(slot& s) {
    if (run_what_was_handed(s))
        return true;
    if (!has_own_work(s)) {
        s.inherits_tasks = s.inherits_tasks && has_tasks_in_queues(s);
        return false;
    }
    if (runs_what_came_last(s))
        return true;
    stop_watching(s);
    bool has_run = false;
    while (!leaves_what_it_found(s) && run_next_that_came(s)) {
        has_run = true;
        note_turn(s);
    }
    if (!has_run)  // another thread has taken the letter's task meanwhile
        wait_for_hand_off(s);
    return has_run;
}

bool may_spin(const slot& s, machine::ticks now) {
    return has_cpu_of_its_own(s) && s.crowd.is_over(now);
}

// Called between two rounds of looks. The worker has been idle for idle_for, and has rested `rests` times. A worker
// without a CPU of its own naps. While it sees work behind a gate, it first yields some times, and its naps are short.
// (If it only yielded, it would take the CPU from the threads that it waits for: 8 blocking bodies on 2 CPUs start in
// 300 us, not in 190. If it only napped, loops on these 8 threads would be 10 to 30 % slower, as each end of a nap
// displaces another thread.) A worker that shares its CPU for some time yields first in any case: where bodies wait for
// each other, the next loop wants the worker at once.
void rest_between_looks(const slot& s, machine::ticks idle_for, unsigned rests) {
    constexpr unsigned yields_first = 8, short_nap_ns = 5'000, long_nap_ns = 200'000;
    const bool yields = rests < yields_first && (s.sees_work || has_cpu_of_its_own(s));
    if (!s.spins && !yields)
        nap(s.sees_work ? short_nap_ns : long_nap_ns);
    else if (!s.spins || idle_for > tuned().spin)
        machine::yield();  // a thread that shares its CPU goes first
}

// The watcher dozes for as long as it has been idle: what it comes too late for has waited no longer than the pause
// before it. And not for long, as a loop that only seemed short waits for it (call_for_short_loop).
constexpr double longest_doze_ns = 1e6;
std::uint64_t doze_ns(machine::ticks idle_for) {
    return static_cast<std::uint64_t>(std::min(machine::to_ns(idle_for), longest_doze_ns));
}

void work_for_slot(slot& s) {
    if (runs_what_came_last(s))
        return;
    stop_watching(s);
    mark_busy(s);
    rare::work_for_slot(s);
}

// Another thread wants this CPU: from here on the worker rests, and is handed nothing. False: it had been handed work,
// and has run it.
bool stop_spinning(slot& s) {
    if (runs_what_came_last(s))
        return false;
    mark_busy(s);
    s.spins = false;
    return true;
}

// The wait of a worker, which is inside nothing, until it leaves (wait.h).
class until_left {
public:
    explicit until_left(slot& s) : s_(s) {}

    bool is_done() const { return has_left_; }
    bool run_own() {
        if (!rare::is_bound_to_slot(s_)) [[likely]]
            return false;
        rare::after_bodies(s_);
        work_for_slot(s_);
        return true;
    }

    look_timer begin(machine::ticks now) {
        s_.crowd.begin(now);
        since_ = awake_since_ = now_ = now;
        dozes_ = false;
        rests_ = looks_ = 0;
        if (machine::uneven_topology() && s_.home.seen.look(s_.index))
            s_.victims.forget();
        // Asked here too: a worker that is never idle for long would never look whether an arena waits for one.
        is_requested_elsewhere_ = s_.home.workers_should_make_room() ||
                                  (now - s_.arrived > tuned().turn && is_requested_elsewhere());
        may_try_ = true;
        const tuning& t = tuned();
        if (must_look_first(s_) || s_.is_turn_over)
            return {now, 0, t.watch_most};
        wait_for_hand_off(s_);
        if (t.thieves == thieving::all)
            return {now, 0, 0};
        // Tasks have no gate. Loops have one, and each look takes cache lines away from their owners.
        return s_.last_was_task ? look_timer(now, t.handoff, t.watch_most, look_growth::by_a_quarter)
                                : look_timer(now, t.watch_least, t.watch_most);
    }

    bool poll() {
        if (!run_what_came(s_))
            return false;
        worked();
        return true;
    }

    found find(machine::ticks now) {
        s_.sent_tasks = 0;
        note_turn(s_);
        if (goes(s_) || !(s_.is_watching || (may_try_to_watch() && try_watch(s_)) || looks_for_tasks(now) ||
                          tuned().thieves == thieving::all || balancing::every_idle_worker_looks))
            return {};
        return find_work(s_);
    }
    void found_nothing() {
        if (goes(s_))
            return;
        is_requested_elsewhere_ = is_to_make_room();
        may_try_ = true;
        if (dozes_ && !is_drowsy()) {
            s_.home.watch.alarm.watcher_wakes();
            dozes_ = false;
        }
        if (!dozes_)
            wait_for_hand_off(s_);  // a steal that came too late has closed the cell, or it stays awake now
    }
    void worked() { s_.wakeful.was_wanted(now_ - since_, tuned().longest_awake); }

    bool is_impatient(machine::ticks waited) {
        waited = std::min(waited, now_ - since_);
        switch (leaving::decide(leaving::read(s_, leaving::announced::no, is_requested_elsewhere_)).leaves) {
        case leaves::in_time: {
            const machine::ticks patience = patience_of(s_);
            return waited > patience && (patience == 0 || !dozes_ || !loops_came());
        }
        case leaves::when_idle:
            return may_try_ || waited > patience_of(s_);
        case leaves::always:
            return true;
        }
        return true;
    }
    // A worker that has to stay takes the role, if that is free, and rests: another thread has what it saw.
    bool give_up() {
        if (runs_what_came_last(s_))
            return true;
        has_left_ = try_leave(s_, is_requested_elsewhere_);
        if (has_left_)
            return true;
        s_.sees_work = true;
        s_.sat_down_blindly = false;  // tries that once
        may_try_ = dozes_ = false;
        wait_for_hand_off(s_);
        try_watch(s_);
        rest_between_looks(s_, ~machine::ticks{0}, rests_++);
        return false;
    }
    bool rest(machine::ticks waited) {
        if (is_drowsy())
            return doze();
        rest_between_looks(s_, waited, rests_++);
        return false;
    }

    bool share_cpu(machine::ticks now) {
        const tuning& t = tuned();
        now_ = now;
        dozes_ = dozes_ && s_.is_watching;  // a letter took the role away, and its task was gone
        if (s_.spins)
            return s_.crowd.has_displaced(now, t.least_slice, machine::involuntary_switches) &&
                   !stop_spinning(s_);
        if (may_spin(s_, now)) {
            s_.spins = true;
            s_.crowd.begin(now);
            wait_for_hand_off(s_);
        } else if (!s_.is_watching && (has_cpu_of_its_own(s_) || t.cpus == 1)) {
            // The worker stays as the watcher. Otherwise it would leave at once, and each loop that comes would call it
            // anew. A worker beyond the CPUs does not stay: others watch there, and more often.
            try_watch(s_);
        }
        return false;
    }

private:
    // Does it look at other slots without the role? Where its last work was a task there are most likely more, too many
    // for one thief at a time. Hand-offs have the gate before that, and as long again (decisions.md).
    bool looks_for_tasks(machine::ticks now) const {
        constexpr machine::ticks gates = 2;
        return s_.last_was_task && now - since_ > gates * tuned().gate_for(s_.home.concurrency());
    }
    // After a loop of all threads all would try at the same moment, and each waits for the line of the role: so a few
    // try at the first look, twice as many at the next.
    bool may_try_to_watch() {
        constexpr unsigned first = 8;
        const unsigned every = s_.home.watch.inside_hint() / first >> std::min(looks_++, 31u);
        return every <= 1 || s_.index % every == 0;
    }
    bool is_to_make_room() const { return is_requested_elsewhere() || s_.home.workers_should_make_room(); }
    bool is_requested_elsewhere() const { return crew_limits.is_requested_elsewhere(s_.home); }

    bool is_drowsy() const {
        const bool in_a_phase = s_.home.phases.load(std::memory_order_relaxed) != 0;
        return s_.is_watching && s_.spins && !s_.sees_work && !in_a_phase &&
               tuned().thieves != thieving::all && !balancing::every_idle_worker_looks &&
               now_ - awake_since_ > s_.wakeful.awake_for();
    }
    // Did loops come and go between its looks? Then the arena was not quiet, but is from now on.
    bool loops_came() {
        if (const std::uint32_t now = s_.home.loops_published(); std::exchange(loops_, now) == now)
            return false;
        since_ = now_;
        return true;
    }
    // True: it had been handed work, and has run it.
    bool doze() {
        if (runs_what_came_last(s_)) {
            worked();
            return true;
        }
        mark_busy(s_);
        if (!std::exchange(dozes_, true)) {
            s_.home.watch.alarm.watcher_sleeps();
            s_.wakeful.was_not_wanted(tuned().spin);
            loops_ = s_.home.loops_published();
        }
        const spell sleeping(s_.counted, activity::sleeping, activity::searching);
        const bool was_called = s_.home.watch.doze(process_parking_lot(), &s_.home, doze_ns(now_ - since_),
                                                   [this] { return goes(s_) || is_requested_elsewhere(); });
        const machine::ticks now = machine::now();
        s_.crowd.begin(now);
        is_requested_elsewhere_ = is_to_make_room();
        if (was_called) {
            s_.wakeful.was_wanted(now - since_, tuned().longest_awake);
            dozes_ = false;
            since_ = awake_since_ = now_ = now;  // the pause is over, even if it finds nothing
        }
        return false;
    }

    slot& s_;
    bool has_left_ = false;
    bool is_requested_elsewhere_ = false;
    bool may_try_ = false;  // may it try to leave? Not again before the next look
    unsigned rests_ = 0;
    unsigned looks_ = 0;        // in this round
    machine::ticks since_ = 0;  // idle
    machine::ticks now_ = 0;    // when this round began
    machine::ticks awake_since_ = 0;
    bool dozes_ = false;       // its cell is closed
    std::uint32_t loops_ = 0;  // published so far, when it was last asked
};

}  // namespace

void wait_for_hand_off(slot& s) {
    if (!s.spins)
        return;
    s.cell.open();
    if (!s.is_marked_idle) {
        s.is_marked_idle = true;
        s.home.idle.mark(s.index);
    }
}

void mark_busy(slot& s) {
    if (!s.is_marked_idle)
        return;
    s.is_marked_idle = false;
    s.home.idle.clear(s.index);
}

void give_up_watch(slot& s) {
    arena& a = s.home;
    const std::uint32_t left = std::exchange(s.left_there, 0);
    a.watch.stop(
        std::exchange(s.is_watching, false),
        [&a](unsigned blocked) { return workers_allowed(a, blocked, crew_limits.stand_ins()); },
        // The worker has called for what it spawned itself, but not for what it found in its slot.
        [&] { return a.has_published_work({}, s.inherits_tasks ? nullptr : &s); },
        [&a, left] { call(a, left); });
}

void stop_watching(slot& s) {
    if (s.is_worker)
        give_up_watch(s);
    ++s.nesting;
    s.told.look(s.home.observers, s.is_worker);  // user code, which may wait for another worker
    --s.nesting;
}

void serve(slot& s) {
    s.home.watch.enter();
    s.is_inside = true;
    s.home.leave_at_once.store(false, std::memory_order_relaxed);
    const bound_to bound(s.home.cpus);
    s.spins = may_spin(s, machine::now());
    // The thread that started or woke this worker goes on. The system often leaves both on one CPU for some ms,
    // although other CPUs are free. caller_cpu is a hint: the caller may have moved.
    const unsigned callers = s.home.caller_cpu.load(std::memory_order_relaxed);
    if (has_cpu_of_its_own(s) && machine::current_cpu() == callers)
        machine::leave_cpu(callers);
    if (s.told.has_news(s.home.observers))
        stop_watching(s);
    detail::set_fp_settings(s.home.fp_settings.load(std::memory_order_relaxed));
    s.arrived = machine::now();
    s.is_turn_over = false;
    // What is published now was published a wake-up ago, which is longer than any gate.
    s.came_on_call = true;
    s.inherits_tasks = has_tasks_in_queues(s);
    // What is enqueued comes before what could be stolen, here as in poll(). Otherwise the thread that waits for the
    // stolen piece would take the enqueued task, and the two may wait for each other.
    if (!has_own_work(s))
        find_and_run(s);
    wait(s, until_left(s));
    s.is_inside = false;
    // Mail that came while it was leaving, and what its tasks have spawned.
    while (!s.inherits_tasks && (run_queued_task(s) || run_letter(s))) {
    }
    mark_busy(s);
    ++s.nesting;
    s.told.leave(true);  // user code
    --s.nesting;
    rare::after_bodies(s);
}

}  // namespace bough
