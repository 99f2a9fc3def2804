#pragma once
// What the files of this folder call of each other. In all of these functions the calling thread sits in slot `s`.

#include <algorithm>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "arena/arena.h"
#include "arena/own_slots.h"
#include "machine/affinity.h"
#include "park/parking_lot.h"
#include "profile/tuning.h"
#include "worker/crew.h"
#include "worker/found.h"
#include "worker/nesting.h"
#include "worker/rare.h"

namespace bough {

// Lives while user code runs in the slot. Notes what can cancel that code, what isolates it, and that the thread is
// inside.
class in_user_code {
public:
    in_user_code(slot& s, const detail::cancel_node* node, std::uintptr_t isolation)
        : s_(s), outer_(std::exchange(s.scope, node)), outside_(std::exchange(s.isolation, isolation)) {
        ++s.nesting;
    }
    ~in_user_code() {
        --s_.nesting;
        s_.isolation = outside_;
        s_.scope = outer_;
    }
    in_user_code(const in_user_code&) = delete;
    in_user_code& operator=(const in_user_code&) = delete;

private:
    slot& s_;
    const detail::cancel_node* outer_;
    std::uintptr_t outside_;
};

// Is the thread inside nothing that began since it sat down, or since its innermost task_arena::execute? Only then may
// it take what is enqueued, as with oneTBB: an enqueued function may wait for what an outer body has still to do.
inline bool may_take_enqueued(const slot& s) {
    return s.levels_inside() == s.executing_at;
}

// Lives while a functor of task_arena::execute runs in a slot that the thread had before. The functor is the thread's
// own, or that of another thread which found no slot. Waits in it take what is enqueued again, and an isolated region
// around the call does not count. Adds one level of nesting, so that nothing in the functor is taken for the thread's
// outermost call. Adds none where that is so already: may_take_enqueued() holds, and no isolated region is around.
class inside_execute {
public:
    explicit inside_execute(slot& s)
        : s_(s), levels_(may_take_enqueued(s) && s.isolation == s.home.tag ? 0 : 1), outer_(s.executing_at),
          outside_(s.isolation) {
        if (levels_ == 0)
            return;
        s.isolation = s.home.tag;
        s.nesting += levels_;
        s.executing_at = s.levels_inside();
    }
    ~inside_execute() {
        if (levels_ == 0)
            return;  // the slot may be another thread's: a thread that is inside nothing else may have left it
        s_.nesting -= levels_;
        s_.executing_at = outer_;
        s_.isolation = outside_;
    }
    inside_execute(const inside_execute&) = delete;
    inside_execute& operator=(const inside_execute&) = delete;

private:
    slot& s_;
    const std::uint32_t levels_;
    std::uint32_t outer_;
    std::uintptr_t outside_;
};

// Lives while the thread waits for what this node stands for. If its arena wants that (arena::tag), the thread runs
// only what descends from the node. Null: the thread runs anything.
class only_below {
public:
    only_below(slot& s, const detail::cancel_node* node)
        : s_(s), outer_(std::exchange(s.only_below, s.home.tag != 0 ? node : nullptr)) {}
    ~only_below() { s_.only_below = outer_; }
    only_below(const only_below&) = delete;
    only_below& operator=(const only_below&) = delete;

private:
    slot& s_;
    const detail::cancel_node* outer_;
};

// While this lives the thread runs on these CPUs only. Changes nothing if there are none, or if there is no memory to
// remember where the thread ran before.
class bound_to {
public:
    explicit bound_to(const std::vector<unsigned>& cpus) noexcept {
        if (cpus.empty())
            return;
        try {
            before_.emplace();
            machine::bind_this_thread(cpus);
        } catch (const std::bad_alloc&) {
        }
    }

private:
    std::optional<machine::keep_affinity> before_;
};

// ---- work_off.cpp: work of loops ----

// Runs units that were stolen or handed off from another part, and reports them.
void help(slot& s, const assignment& given);

// ---- find_work.cpp, run.cpp ----

// Claims one piece of work and starts nothing. The sources in their order: other slots (steal/victims.h), of each its
// loops from the outermost on, its isolated tasks and its queue; the slot's own loops and tasks; the arena's critical
// and enqueued tasks. With half of the stack used: own tasks, then the arena's; with nearly all used: own tasks only.
// `below`: of other slots only, and only pieces of this job and of loops nested in it. May find nothing when the wait
// is over.
found find_work(slot& s, const loop_job* below = nullptr, const wait_end& end = {});
// Runs it. The thread is not idle: it has left idleness before.
void run_at_work(slot& s, found&& f);
// The same; false if nothing was found.
inline bool run_at_work_if_any(slot& s, found&& f) {
    if (!f)
        return false;
    run_at_work(s, std::move(f));
    return true;
}
// Runs it, for a thread that may be idle: the thread stops watching, and its bit in the idle set goes off.
void run(slot& s, found&& f);
// find_work() and run(). False if there was nothing.
bool find_and_run(slot& s, const loop_job* below = nullptr);

// ---- tasks.cpp ----

void execute(slot& s, task& t);
// A task that was taken from another slot.
void execute_taken(slot& s, task& t);
// A task for which there was no room where it was spawned.
void execute_in_place(slot& s, task& t);
// As publish() (publish.h), and also mails t to the slots `preferred` in which a thread sits, eight at most.
bool publish_mailed(slot& s, task& t, std::span<const std::uint16_t> preferred);
// Counts t in its group, and publishes it by publish_mailed().
void spawn_mailed(slot& s, task& t, std::span<const std::uint16_t> preferred);
// A critical task of the arena, the slot's newest task, or an isolated task.
found find_queued_task(slot& s);
// Is there a letter whose task, as far as this thread sees, no thread has taken? Frees the others.
bool has_letters(slot& s);
// The slot's oldest letter whose task no thread has taken.
found find_mailed_task(slot& s);
// The first of these, or the second.
found find_own_task(slot& s);
// Finds one of these and runs it; false if there is none. For recursions: a task of the queue takes a short path.
bool run_own_task(slot& s);
// The same, but no letters: they are tasks of other slots.
inline bool run_queued_task(slot& s) {
    return run_at_work_if_any(s, find_queued_task(s));
}
// Before the thread leaves the slot: tasks that were mailed to the slot and not run go into its queue.
void put_mail_into_queue(slot& s);
// A task of no slot in particular that this thread may take now: a critical one, or an enqueued one.
found find_streamed_task(slot& s);
// The oldest enqueued one.
found find_enqueued_task(slot& s);
// Called between two pieces of a loop: critical tasks of the arena come before the next piece, as before the next task.
void run_critical_tasks(slot& s);
// Enqueued functions may nest too, if each waits in an execute(). So a thread with half of its stack used takes none,
// unless it is outermost: a visitor waits for its own function in this way.
inline bool takes_enqueued(const slot& s) {
    return may_take_enqueued(s) && (s.nesting == 0 || !leaves_work_to_others(s));
}
// May a critical task run here: is there one that this thread may take, and is the thread inside no other? As with
// oneTBB, critical tasks do not interrupt each other: a hundred thousand, with a loop in each, would nest until the
// stack is used.
bool may_interrupt_here(const slot& s);
inline bool has_critical_tasks(const slot& s) {
    return s.home.critical.has_tasks() && may_interrupt_here(s);
}
// A wait inside a critical task may depend on another critical task. So it takes one if there is nothing else, but not
// with half of the stack used.
inline bool takes_critical_in_waits(const slot& s) {
    return !s.in_critical || !leaves_work_to_others(s);
}

// ---- idle.cpp ----

// A worker's life in an arena. Returns when the worker is to leave.
void serve(slot& s);
// Called before user code: gives up the watcher's role, and calls if no thread would look at what is published.
void stop_watching(slot& s);
// Without the user code (observers) that a thread may see before it works. Of a worker.
void give_up_watch(slot& s);
// If the worker may spin, it may be handed work from here on: its cell is open, its bit in the idle set is on.
void wait_for_hand_off(slot& s);
// Called before a thread takes something: its slot must stop waiting for a hand-off, as a sender expects its work to be
// run now. If an assignment has come, returns it: the thread must run it instead.
inline std::optional<assignment> stop_waiting(slot& s) {
    return s.cell.close();
}
// The slot has been at work for longer than a gate, or must not be handed work: callers need not try it.
void mark_busy(slot& s);

// A worker beyond the limit takes nothing that others published (decide.h). Nor does a worker in a lent slot, unless it
// stands in for a sleeper. Asked after something published was seen: then a limit set before that was published is seen
// too.
bool takes_nothing_new(const slot& s);
// What the thread may take while it waits.
inline task_filter filter_of(const slot& s) {
    return {s.isolation == s.home.tag ? 0 : s.isolation, s.only_below};
}
inline reach reach_of(const slot& s) {
    return {.isolation = filter_of(s).tag,
            .below = s.only_below,
            .waiter = &s,
            .enqueued = takes_enqueued(s),
            .critical = takes_critical_in_waits(s),
            .shared = !takes_nothing_new(s),
            .others = !leaves_work_to_others(s),
            .abandoned = false};
}

// ---- call.cpp ----

// A thread has to look at the arena: wakes its sleeping callers and asks for so many workers. More than one come as a
// tree (crew::grant), where workers that each call the next come one wake-up after the other.
void call(arena& a, std::size_t workers = 1);
// Sleeps for so long, or less. For a thread that no other thread will wake, and that looks now and then.
void nap(unsigned ns = 100'000);
// A thread in a slot beyond the usable CPUs has none: it runs on another thread's time. Nor has a worker in a lent
// slot, which comes for a moment only.
inline bool has_cpu_of_its_own(const slot& s) {
    return s.index < tuned().cpus && !s.is_lent;
}
// Shall a thread that has looked for so long sleep? When an idle worker would leave: thieves wait at joins all the
// time, and a sleep costs the other threads too (decisions.md). After the spin time already if another thread has to
// come in its place, or if it should ask for a refused one again; with BOUGH_SPIN_US=forever after the time in which a
// watcher leaves a quiet arena.
inline bool shall_sleep(slot& s, machine::ticks looked) {
    constexpr double latest_ns = 1e7;
    if (looked <= tuned().spin)
        return looked > machine::from_ns(latest_ns) && rare::sleeps_at_last(s);
    return !has_cpu_of_its_own(s) || looked > tuned().stay || rare::sleeps_at_last(s);
}
// For a thread that has nothing to do until done(): sleeps until it is woken by key or by a call. Returns at once if
// something is published that the thread might take, in its own slot too.
template <class Done>
void sleep_in_arena(slot& s, const void* key, Done&& done) {
    arena& a = s.home;
    // Only a helper of a published loop can see whether that loop descends from what this thread waits for.
    const bool naps = s.only_below && a.has_published_work(reach_of(s));
    const rare::sleep its(s, key, naps);
    local_queue::expose_all_here();
    const spell sleeping(s.counted, activity::sleeping);
    const noted_wait noted(s.counted, key);
    if (its.is_nap()) {
        its.longest_ns();
        return nap();
    }
    const auto may_go_on = [&] {
        return its.must_look_again(done) || done() || a.has_published_work(reach_of(s));
    };
    do {
        const std::uint64_t most_ns = its.longest_ns();
        a.watch.sleep(
            process_parking_lot(), key, &a, [&] { return may_go_on() || its.must_ask_again(most_ns); },
            its.context(s), most_ns);
    } while (its.is_only_asking() && !may_go_on());
}

// Called after publishing. One load while the alarm is quiet. Wakes a watcher that dozes, too.
inline void call_if_unwatched(arena& a) {
    if (!a.watch.alarm.is_quiet()) [[unlikely]]
        call(a);
}
// The same after a task is pushed there: a worker for each task.
template <class Queue>
void call_if_unwatched(arena& a, const Queue& q) {
    if (!a.watch.alarm.is_quiet()) [[unlikely]]
        call(a, q.size());
}
// The same for a short loop, of which a watcher that dozes would find nothing left. If the loop needs it, it looks in
// time.
inline void call_for_short_loop(arena& a) {
    if (a.watch.alarm.is_raised()) [[unlikely]]
        call(a);
}
// The same for a loop that is expected to take so long; 0: it is not known. Loops of a few hand-offs are not worth a
// CPU that spins from one to the next. One that turns out to be longer calls later (run_paced).
inline void call_for_loop(arena& a, double expected_ticks) {
    constexpr machine::ticks short_handoffs = 8;
    if (expected_ticks == 0 || expected_ticks > static_cast<double>(short_handoffs * tuned().handoff))
        call_if_unwatched(a);
    else
        call_for_short_loop(a);
}
// The same for enqueued tasks and abandoned slots, whatever the alarm says. A worker is due for these even if the limit
// allows none, and then a quiet alarm does not mean that a worker is on its way.
void call_for_enqueued(arena& a);
// How many workers may be inside while so many are blocked. stand_ins: what crew_limits said.
unsigned workers_allowed(const arena& a, unsigned blocked, unsigned stand_ins);
// Gives the slot back. If a worker found no slot while this one was taken, calls a worker again.
void give_slot_back(slot& s);

}  // namespace bough
