// The thief's side: asks, and receives. In the place of worker/find_work.cpp. README.md has the protocol.

#include <optional>
#include <utility>

#include "balancing.h"
#include "machine/clock.h"
#include "machine/topology.h"
#include "request.h"
#include "worker/crew.h"
#include "worker/leaving.h"
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

// The first task of a chain runs, the others go into the thief's own queue.
found begin_chain(slot& s, task& first) {
    for (task* t = std::exchange(first.link, nullptr); t;) {
        task* const next = std::exchange(t->link, nullptr);
        if (!local_queue::owner(s.queue).push(*t))
            execute_in_place(s, *t);  // no memory
        t = next;
    }
    call_if_unwatched(s.home);
    return {found::kind::stolen_task, &first};
}

void note_answer(seat& own, const assignment& came) {
    own.tasks_sent = 0;
    for (const task* t = came.whole; t; t = t->link)
        ++own.tasks_sent;
    own.sent_at = machine::now();
}

// What has come into the inbox. `below` not null: only pieces of that job; others stay there.
found receive(slot& s, const loop_job* below) {
    seat& own = s.balance;
    const assignment* const oldest = own.inbox.peek();
    if (!oldest || !may_take_anything(s) || (below && oldest->job != below))
        return {};
    found f;
    if (was_handed(s, &f))
        return f;
    const assignment came = own.inbox.receive();
    count(s.counted, event::steal_won);
    note_answer(own, came);
    if (came.whole)
        return begin_chain(s, *came.whole);
    return {found::kind::interval, came};
}

void close_inbox(seat& own) {
    if (!own.is_looking)
        return;
    own.is_looking = false;
    own.inbox.close();
}

// The distance of the two threads' CPUs. It is known only if threads are bound to CPUs; else 0.
unsigned distance(const slot& s, unsigned other) {
    const slot* o = s.home.slot_at(other);
    if (!tuned().pin || !o)
        return 0;
    const auto& cpus = machine::machine_topology().cpus;
    const auto cpu_of = [&](const slot& one) {
        return cpus[one.cpu.load(std::memory_order_relaxed) % cpus.size()];
    };
    return machine::distance(cpu_of(s), cpu_of(*o));
}

// Half, if a task that this thread was sent took less than some hand-offs: the next request would come too soon.
bool wants_half(const seat& own) {
    constexpr machine::ticks short_task = 8;  // hand-offs
    if (tuned().steals != stealing::adaptive)
        return tuned().steals == stealing::half;
    return own.tasks_sent != 0 &&
           machine::now() - own.sent_at < own.tasks_sent * short_task * tuned().handoff;
}

bool send_request(slot& s) {
    const std::uint64_t message =
        balancing::request{.thief = s.index, .wants_half = wants_half(s.balance)}.bits();
    return s.victims.each(
        s.home.used_slots(), [&](unsigned i) { return distance(s, i); },
        [&](unsigned i) {
            slot* const victim = s.home.slot_at(i);
            return victim && victim->queue.requests.try_send(message) == sent::yes;
        });
}

// Sends the thread's request, unless that is under way, and opens the inbox. `wanted`: see seat::wants.
void ask(slot& s, const loop_job* wanted) {
    seat& own = s.balance;
    if (own.inbox.peek())
        return;  // what this thread may not take now
    own.wants.store(wanted, std::memory_order_relaxed);
    // acquire: pairs with give_back().
    const bool is_out = own.request_is_out.load(std::memory_order_acquire);
    if (!own.is_looking) {
        own.is_looking = true;
        own.inbox.open();
    }
    s.sees_work = true;
    if (is_out)
        return;
    // Before it is sent: whoever gets it may give it back at once.
    own.request_is_out.store(true, std::memory_order_relaxed);
    count(s.counted, event::steal_tried);
    if (send_request(s))
        return;
    own.request_is_out.store(false, std::memory_order_relaxed);
    s.sees_work = false;
}

bool take_isolated_of(slot& s, slot& victim, found* f) {
    if (!victim.isolated.has_tasks() || takes_nothing_new(s))
        return false;
    if (was_handed(s, f))
        return true;
    task* const stolen = victim.isolated.steal_oldest(filter_of(s));
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

found find_work(slot& s, const loop_job* below) {
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
    if (f)
        close_inbox(s.balance);
    else if (may_take_anything(s) && !takes_nothing_new(s))
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

// Only at the bottom of a wait, where the thread looks on after the task.
void balancing::ask_ahead(slot& s) {
    if (may_take_anything(s) && !takes_nothing_new(s)) {
        const bool sees_work = s.sees_work;
        ask(s, seat::tasks_only());
        s.sees_work = sees_work;
    }
}

namespace {

// Tasks that came go into the thread's own queue, where others can ask for them. Pieces of a loop stay in the inbox: a
// later look of a wait that may take them does so.
void put_answer_into_queue(slot& s) {
    const assignment* const oldest = s.balance.inbox.peek();
    if (!oldest || !oldest->whole)
        return;
    for (task* t = s.balance.inbox.receive().whole; t;) {
        task* const next = std::exchange(t->link, nullptr);
        if (!local_queue::owner(s.queue).push(*t))
            execute_in_place(s, *t);  // no memory
        t = next;
    }
    call_if_unwatched(s.home);
}

// May the thread run here what it was sent in a wait further down its stack?
bool may_run_here(const slot& s) {
    return may_take_anything(s) && !is_nested_too_deep(s) && !leaves_work_to_others(s);
}

}  // namespace

void balancing::stop_asking_ahead(slot& s) {
    close_inbox(s.balance);
    put_answer_into_queue(s);
}

// Only while the thread may wait on: a worker that is wanted elsewhere leaves. For as long as a watcher watches: the
// victim may be in a body that does not end.
bool balancing::is_about_to_be_answered(const slot& s, machine::ticks looked) {
    return looked < tuned().watch && s.balance.is_looking &&
           s.balance.request_is_out.load(std::memory_order_relaxed) &&
           (!s.is_worker || s.nesting != 0 ||
            (leaving::decide_for(s).leaves == leaving::leaves::in_time &&
             !crew_limits.is_requested_elsewhere(s.home)));
}

bool balancing::run_last_answer(slot& s) {
    close_inbox(s.balance);
    if (!s.balance.inbox.peek())
        return false;
    if (!may_run_here(s)) {
        put_answer_into_queue(s);
        return false;
    }
    found f;
    if (!was_handed(s, &f)) {
        const assignment came = s.balance.inbox.receive();
        count(s.counted, event::steal_won);
        f = came.whole ? begin_chain(s, *came.whole) : found(found::kind::interval, came);
    }
    run(s, std::move(f));
    return true;
}

}  // namespace bough
