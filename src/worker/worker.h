#pragma once
// What the files of this folder call of each other. The calling thread sits in slot `s` in all of them.

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

// While user code runs in the slot: what can cancel it, what isolates it, and that the thread is inside.
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

// Is the thread inside nothing that began since it sat down, or since its innermost task_arena::execute? Only then it
// takes what is enqueued, as with oneTBB: a function from there may wait for what an outer body is to do.
inline bool may_take_enqueued(const slot& s) {
    return s.levels_inside() == s.executing_at;
}

// While a functor of task_arena::execute runs in a slot that the thread had before, its own or that of another thread
// which found no slot: waits in it take what is enqueued
// again, and no isolated region around the call counts. One level more of nesting, so that nothing in the functor is
// taken for the thread's outermost call; none where the thread was inside nothing else before, and is not now.
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
            return;  // the slot may be another thread's: this one may leave it where it is inside nothing else
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

// While the thread waits for what this node stands for: it runs nothing else, where its arena wants that. Null:
// anything.
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

// The thread runs on these CPUs only, if there are any, for as long as this lives; anywhere when there is no memory to
// remember where it ran before.
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

// Runs units taken from, or handed off from, another part, and reports them.
void help(slot& s, const assignment& given);

// ---- find_work.cpp, run.cpp ----

// Claims one piece of work, of those that are published or the thread's own, and starts nothing. The sources in their
// order: other slots, nearest first, of each its loops from the outermost on, its isolated tasks and its queue; the
// slot's own loops and tasks; the arena's critical and enqueued tasks. Little of the stack left: own tasks only.
// `below`: only of other slots, and only this job and loops nested in it.
found find_work(slot& s, const loop_job* below = nullptr);
// Runs it; the thread has left idleness before.
void run_at_work(slot& s, found&& f);
// So; false if nothing was found.
inline bool run_at_work_if_any(slot& s, found&& f) {
    if (!f)
        return false;
    run_at_work(s, std::move(f));
    return true;
}
// For a thread that may be idle: it stops watching, and its bit in the idle set goes off.
void run(slot& s, found&& f);
// False if there was nothing.
bool find_and_run(slot& s, const loop_job* below = nullptr);

// ---- tasks.cpp ----

void execute(slot& s, task& t);
// One that was taken from another slot.
void execute_taken(slot& s, task& t);
// One for which there was no room, where it was spawned.
void execute_in_place(slot& s, task& t);
// As publish() (publish.h), and into the mailboxes of those of the slots `preferred` in which somebody sits, eight at
// most.
bool publish_mailed(slot& s, task& t, std::span<const std::uint16_t> preferred);
// Counts t in its group and publishes it so.
void spawn_mailed(slot& s, task& t, std::span<const std::uint16_t> preferred);
// A critical task of the arena, the slot's newest task, or its oldest mail.
found find_own_task(slot& s);
// The same, found and run; false when there is none of these. For recursions: a task of the queue costs no more.
bool run_own_task(slot& s);
// Before nobody sits here: tasks that were mailed to the slot and that nobody has run become its own.
void put_mail_into_queue(slot& s);
// A task of no slot in particular that this thread may take now: a critical, or an enqueued one.
found find_streamed_task(slot& s);
// The oldest enqueued one.
found find_enqueued_task(slot& s);
// Between two pieces of a loop: critical tasks of the arena come before the next piece, as before the next task.
void run_critical_tasks(slot& s);
// Enqueued functions nest, too, where each waits in an execute(): not with half of the stack used. Outermost it takes
// them all the same: a visitor waits for its own function so.
inline bool takes_enqueued(const slot& s) {
    return may_take_enqueued(s) && (s.nesting == 0 || !leaves_work_to_others(s));
}
// Is there one that this thread may take, and inside no other? As with oneTBB they do not interrupt each other: a
// hundred thousand, with a loop in each, would nest until the stack is used.
bool may_interrupt_here(const slot& s);
inline bool has_critical_tasks(const slot& s) {
    return s.home.critical.has_tasks() && may_interrupt_here(s);
}
// A wait inside a critical task takes another one all the same, when there is nothing else: it may wait for that. Not
// with half of the stack used.
inline bool takes_critical_in_waits(const slot& s) {
    return !s.in_critical || !leaves_work_to_others(s);
}

// ---- idle.cpp ----

// A worker's life in an arena: returns when it is to leave.
void serve(slot& s);
// Before user code: gives the watcher role up, and calls if nobody would look at what is published.
void stop_watching(slot& s);
// The worker may be handed work from here on: its cell is open, its bit in the idle set is on.
void wait_for_hand_off(slot& s);
// Before something is taken the slot must stop waiting for a hand-off: a thread that hands work over expects it to run
// now. The assignment that has come, if one has: it must be run instead.
inline std::optional<assignment> stop_waiting(slot& s) {
    return s.cell.close();
}
// The slot is at work for longer than a gate: callers need not try it.
void mark_busy(slot& s);

// An arena of higher priority waits for a worker.
inline bool is_requested_in_higher_priority(const arena& a) {
    return crew_limits.highest_request.load(std::memory_order_relaxed) > crew_limits_type::rank(a);
}
// A worker beyond the limit takes nothing that others published (decide.h), nor does one in a lent slot. Asked after
// something published was seen: then a limit set before it was published is seen too.
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

// Somebody has to look at the arena: wakes its sleeping callers and asks for a worker.
void call(arena& a);
// For so long, or less: whoever waits for what nobody tells it looks now and then.
void nap(unsigned ns = 100'000);
// A thread has looked for so long. With BOUGH_SPIN_US=forever, too, one sleeps in whose place another has to come, or
// that should ask for one again: when a watcher would leave where nothing happens.
inline bool shall_sleep(slot& s, machine::ticks looked) {
    constexpr double latest_ns = 1e7;
    return looked > tuned().spin || (looked > machine::from_ns(latest_ns) && rare::sleeps_at_last(s));
}
// For a caller that has nothing to do until `done`: sleeps until woken by key or by a call. Returns at once when
// something is published that it might take, in its own slot too.
template <class Done>
void sleep_in_arena(slot& s, const void* key, Done&& done) {
    arena& a = s.home;
    // Only from inside can be seen whose descendants the loops are that are published now.
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

// After publishing. One load while somebody watches.
inline void call_if_unwatched(arena& a) {
    if (a.watch.alarm.is_raised()) [[unlikely]]
        call(a);
}
// The same for an enqueued task where no worker is allowed: one is due all the same, and that nobody answers the alarm
// says nothing about it.
void call_for_enqueued(arena& a);
// Inside, while so many are blocked; stand_ins: what crew_limits said.
unsigned workers_allowed(const arena& a, unsigned blocked, unsigned stand_ins);
// Gives the slot back; a worker that found none while it was taken is called again.
void give_slot_back(slot& s);

}  // namespace bough
