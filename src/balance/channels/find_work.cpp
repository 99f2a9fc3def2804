// The thief's side: asks, and receives. In the place of worker/find_work.cpp. README.md has the protocol.

#include <algorithm>
#include <optional>
#include <utility>

#include "balancing.h"
#include "machine/clock.h"
#include "request.h"
#include "worker/crew.h"
#include "worker/leaving.h"
#include "worker/look_around.h"
#include "worker/nesting.h"
#include "worker/worker.h"

namespace bough {
namespace {

using balancing::seat;

bool was_handed(slot& s, found* f) {
    const auto handed = stop_waiting(s);
    if (handed) [[unlikely]]
        *f = found(found::kind::handed, *handed);
    return handed.has_value();
}

// A thread in an isolated region, or one that waits for descendants only, asks nobody.
bool may_take_anything(const slot& s) {
    return filter_of(s).admits_all();
}

void put_into_queue(slot& s, task* chain) {
    while (chain) {
        task* const next = std::exchange(chain->link, nullptr);
        local_queue::owner(s.queue).push(*chain);  // needs no memory
        chain = next;
    }
}

// The first task of a chain runs, the others go into the thief's own queue.
found begin_chain(slot& s, task& first) {
    put_into_queue(s, std::exchange(first.link, nullptr));
    call_if_unwatched(s.home);
    return {found::kind::stolen_task, &first};
}

void note_answer(seat& own, const assignment& came) {
    own.gave_up = 0;
    own.stays_in_vain = false;
    own.tasks_sent = 0;
    for (const task* t = came.whole; t; t = t->link)
        ++own.tasks_sent;
    own.sent_at = machine::now();
}

// Takes the oldest answer out of the inbox.
found take_answer(slot& s) {
    const assignment came = s.balance.inbox.receive();
    count(s.counted, event::steal_won);
    note_answer(s.balance, came);
    if (came.whole)
        return begin_chain(s, *came.whole);
    return {found::kind::interval, came};
}

// What has come into the inbox. `below` not null: only pieces of that job; others stay there.
found receive(slot& s, const loop_job* below) {
    const assignment* const oldest = s.balance.inbox.peek();
    if (!oldest || !may_take_anything(s) || (below && oldest->job != below))
        return {};
    found f;
    return was_handed(s, &f) ? std::move(f) : take_answer(s);
}

void close_inbox(seat& own) {
    if (!own.is_looking)
        return;
    own.is_looking = false;
    own.inbox.close();
    own.request.leave_lobby();
}

// Notes whether the tasks that this thread was sent last are short: did one take less than some hand-offs for each
// thread? Then one victim could not give all threads one task at a time. `begun` of them have not ended, so their time
// is not known.
void judge_tasks(slot& s, std::uint32_t begun) {
    seat& own = s.balance;
    if (own.tasks_sent <= begun || s.queue.has_tasks())
        return;
    own.has_judged = true;
    own.has_short_tasks = machine::now() - own.sent_at < (own.tasks_sent - begun) * balancing::short_task(s);
    own.tasks_sent = 0;
}

bool wants_half(const seat& own) {
    return tuned().steals == stealing::adaptive ? own.has_short_tasks : tuned().steals == stealing::half;
}

bool may_go_to(slot& victim, const balancing::request& r) {
    if (r.is_ahead)
        return victim.queue.size() >= balancing::many_tasks;
    return r.goes_anywhere || balancing::seems_to_have_something(victim);
}

// Sends the request, which the thread holds or which lies in the lobby, to a slot that shows something; or to any open
// channel. True: it is under way.
bool send_request(slot& s, balancing::request r) {
    seat& own = s.balance;
    return look_around(s, [&](unsigned i) {
        slot* const victim = s.home.slot_at(i);
        if (!victim || !may_go_to(*victim, r))
            return false;
        if (!own.request.is_with_thief() && !own.request.leave_lobby())
            return true;  // another thread has taken it out
        own.request.send();
        if (victim->queue.requests.try_send(r.bits()) == sent::yes) {
            // More than the threads that asked can take: if no thread looks for that, this one calls.
            if (s.is_worker && (s.is_watching || victim->queue.size() > victim->queue.requests.pending()))
                give_up_watch(s);
            return true;
        }
        own.request.keep();
        return false;
    });
}

// May its request lie in the lobby: will it see at once what it is sent?
bool may_wait(const slot& s, const loop_job* wanted) {
    return (!wanted || wanted == seat::tasks_only()) && (s.spins || !s.is_worker);
}

enum class asks : std::uint8_t { idle, ahead, anywhere };

// Sends the thread's request, unless a victim has it, and opens the inbox. `wanted`: see seat::wants.
void ask(slot& s, const loop_job* wanted, asks how = asks::idle) {
    seat& own = s.balance;
    if (own.inbox.peek())  // what this thread may not take now
        return balancing::put_inbox_aside(s);
    own.wants.store(wanted, std::memory_order_relaxed);
    const bool is_out = !own.request.is_with_thief();
    const bool in_lobby = own.request.is_in_lobby();
    if (!own.is_looking) {
        own.is_looking = true;
        own.inbox.open();
    }
    s.sees_work = true;
    if (is_out && !in_lobby)
        return;
    const balancing::request r{.thief = s.index,
                               .wants_half = wants_half(own),
                               .knows = own.has_judged || tuned().steals != stealing::adaptive,
                               .is_ahead = how == asks::ahead,
                               .goes_anywhere = how == asks::anywhere,
                               .may_wait = how != asks::ahead && may_wait(s, wanted)};
    if (send_request(s, r))
        return count(s.counted, event::steal_tried);
    s.sees_work = false;
    if (!r.may_wait || !own.request.is_with_thief())
        return;
    count(s.counted, event::steal_tried);
    own.request.send();
    balancing::put_into_lobby(s, r);
}

bool take_isolated_of(slot& s, slot& victim, found* f) {
    if (!victim.isolated.has_tasks() || takes_nothing_new(s))
        return false;
    if (was_handed(s, f))
        return true;
    task* const stolen = victim.isolated.steal_oldest(filter_of(s), {});
    if (stolen)
        s.left_there = static_cast<std::uint32_t>(victim.isolated.size());
    *f = {found::kind::stolen_task, stolen};
    return stolen != nullptr;
}

// One piece of the thread's own loops, the outermost first: what it waits for may wait for that.
bool take_own_piece(slot& s, found* f) {
    const std::uintptr_t tag = filter_of(s).tag;
    for (std::uint16_t d = 0; d < s.used_parts(); ++d) {
        loop_part& p = s.part(d);
        const loop_word w = p.look();
        if (w.remaining() == 0 || (tag != 0 && p.isolation.load(std::memory_order_relaxed) != tag))
            continue;
        if (was_handed(s, f))
            return true;
        if (const auto piece = p.steal_back(w, 1)) {
            *f = found(found::kind::interval, *piece);
            return true;
        }
    }
    return false;
}

bool take_own_task(slot& s, found* f) {
    if (!may_take_anything(s) || !s.queue.has_tasks())
        return false;
    if (!was_handed(s, f))
        *f = {found::kind::stolen_task, local_queue::owner(s.queue).take_oldest(1)};
    return true;
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

constexpr std::uint16_t deepest_own_take = 128;

found find_here(slot& s, const loop_job* below) {
    found f = receive(s, below);
    if (f)
        return f;
    for (unsigned i = 0; !below && i < s.home.used_slots(); ++i)
        if (slot* const other = s.home.slot_at(i); other && take_isolated_of(s, *other, &f))
            return f;
    if (below)
        return f;
    if (s.only_below)
        return f;
    if (s.used_parts() < deepest_own_take && (take_own_piece(s, &f) || take_own_task(s, &f)))
        return f;
    return find_streamed_here(s);
}

}  // namespace

found find_work(slot& s, const loop_job* below, const wait_end&) {
    judge_tasks(s, 0);
    if (s.queue.requests.has_message())
        balancing::answer_all(s);
    if (is_nested_too_deep(s)) [[unlikely]]
        return below ? found() : find_own_task(s);
    if (!below && leaves_work_to_others(s)) [[unlikely]] {
        found own = find_own_task(s);
        return own ? std::move(own) : find_streamed_here(s);
    }
    s.sees_work = false;
    found f = find_here(s, below);
    s.came_on_call = false;
    // If something was found begin_work() closes the inbox.
    if (!f && may_take_anything(s) && !takes_nothing_new(s))
        ask(s, below);
    return f;
}

bool find_and_run(slot& s, const loop_job* below) {
    found f = find_work(s, below);
    if (!f)
        return false;
    run(s, std::move(f));
    return true;
}

// Only at the bottom of a wait, where the thread looks on after the task. Not while an earlier request is under way,
// which may bring pieces of a loop.
void balancing::ask_ahead(slot& s) {
    if (may_take_anything(s) && !takes_nothing_new(s) && !s.balance.request.is_out()) {
        const bool sees_work = s.sees_work;
        judge_tasks(s, 1);
        ask(s, seat::tasks_only(), asks::ahead);
        s.sees_work = sees_work;
    }
}

namespace {

// May the thread run here what it was sent in a wait further down its stack?
bool may_run_here(const slot& s) {
    return may_take_anything(s) && !is_nested_too_deep(s) && !leaves_work_to_others(s);
}

}  // namespace

void balancing::put_inbox_aside(slot& s) {
    close_inbox(s.balance);
    const assignment* const oldest = s.balance.inbox.peek();
    if (!oldest)
        return;
    if (oldest->whole)
        put_into_queue(s, s.balance.inbox.receive().whole);
    else
        s.queue.open();
    call_if_unwatched(s.home);
}

namespace {

// How long a thread waits for an answer before it sleeps or leaves: as long as a watcher watches, as the victim may be
// in a body that does not end. And twice as long each time that no answer came: other threads may use the victim's CPU,
// so that each time that it polls its thief has gone.
machine::ticks patience(const seat& own) {
    constexpr double longest_ns = 1e9;
    const machine::ticks first = std::max(tuned().watch, tuned().watch_most);
    return std::min(first << own.gave_up, machine::from_ns(longest_ns));
}

}  // namespace

// Only while the thread may wait on: a worker that is wanted elsewhere leaves.
bool balancing::is_about_to_be_answered(const slot& s, machine::ticks looked) {
    const bool waits = looked < patience(s.balance) && s.balance.is_looking &&
                       s.balance.request.is_with_victim() &&
                       (!s.is_worker || s.nesting != 0 ||
                        (leaving::decide_for(s).leaves == leaving::leaves::in_time &&
                         !crew_limits.is_requested_elsewhere(s.home)));
    if (waits && looked > std::max(tuned().watch, tuned().watch_most))
        nap();
    return waits;
}

bool balancing::close_others(slot& s) {
    if (!may_take_anything(s) || takes_nothing_new(s) || !may_watch(s))
        return false;
    ask(s, nullptr, asks::anywhere);
    return !may_watch(s) || stop_looking(s) || s.balance.inbox.peek();  // the inbox was open
}

void balancing::rest_over_pieces(slot& s) {
    nap();
    if (s.queue.requests.has_message())
        answer_all(s);
}

bool balancing::run_last_answer(slot& s) {
    close_inbox(s.balance);
    if (!s.balance.inbox.peek())
        return false;
    if (!may_run_here(s)) {
        put_inbox_aside(s);
        return false;
    }
    found f;
    if (was_handed(s, &f)) [[unlikely]]
        put_inbox_aside(s);
    else
        f = take_answer(s);
    run(s, std::move(f));
    return true;
}

}  // namespace bough
