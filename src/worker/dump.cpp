#include "worker/dump.h"

#include <cstddef>

#include "balancing.h"
#include "machine/report.h"
#include "machine/thread.h"
#include "park/parking_lot.h"
#include "worker/crew.h"
#include "worker/racy.h"

namespace bough {
namespace {

using machine::report;

const char* many(std::size_t n) {
    return n == 1 ? "" : "s";
}

// ---- a slot ----

const loop_part* part_at(slot& s, const void* word) {
    for (std::uint16_t i = 0; i < s.parts_made(); ++i)
        if (&s.part(i).word == word)
            return &s.part(i);
    return nullptr;
}

void add_wait(report& out, slot& s, const void* key) {
    if (const loop_part* const p = part_at(s, key))
        out.add(" in loop %u until its helpers are done", p->place);
    else if (key == &s.fibers)
        out.add(" for a task that was suspended");
    else if (key)
        out.add(" for tasks (%p)", key);
}

// What the thread in the slot does, as far as its counters show it.
void add_activity(report& out, slot& s, const counters& c) {
    const bool is_idle = has_worker(s) && nesting_of(s) == 0;
    switch (c.doing()) {
    case activity::working:
        out.add(", %s", nesting_of(s) != 0    ? "in a body"
                        : s.used_parts() != 0 ? "waits in a loop"
                        : is_idle             ? "between bodies"
                                              : "outside of bodies");
        break;
    case activity::searching:
        out.add(", %s", is_idle ? "idle" : "looks for work in a wait");
        break;
    case activity::sleeping:
        out.add(", sleeps");
        add_wait(out, s, c.waits_for());
        break;
    }
}

void add_loops(report& out, slot& s) {
    for (std::uint16_t i = 0; i < s.used_parts() && i < s.parts_made(); ++i) {
        const loop_word w(s.part(i).word.load(std::memory_order_relaxed));
        out.add("; loop %u: %u piece%s left, %u helper%s%s", i, w.remaining(), many(w.remaining()),
                w.helpers(), many(w.helpers()), w.open() ? ", may be stolen from" : "");
    }
}

void add_slot(report& out, slot& s) {
    out.add("bough:     slot %u: ", s.index);
    if (!s.home.is_occupied(s.index)) {
        out.add("free");
    } else if (s.counted) {
        const int thread = s.counted->thread();
        const machine::thread_look seen = machine::look_at_thread(thread);
        out.add("%s, thread %d (state %c, %.0f ms of CPU)", has_worker(s) ? "worker" : "application thread",
                thread, seen.state, seen.cpu_ms);
        add_activity(out, s, *s.counted);
        out.add(", nested %u deep, has run %llu tasks", nesting_of(s),
                static_cast<unsigned long long>(s.counted->now(event::executed)));
    } else {
        out.add("taken");
    }
    out.add("; queue %zu, isolated %zu, mail %s", s.queue.size(), s.isolated.size(),
            s.mail.has_mail() ? "yes" : "no");
    if (const unsigned suspended = suspended_in(s))
        out.add(", %u task%s suspended", suspended, many(suspended));
    add_loops(out, s);
    if (balancing::is_asked(s))
        out.add("; asked for work, has not answered: its body blocks, which this variant does not allow, or "
                "runs long");
    if (balancing::has_unread_answer(s))
        out.add("; was sent work, has not taken it");
    out.add("\n");
}

// ---- an arena ----

void add_arena(report& out, arena& a) {
    out.add("bough:   arena %u%s: concurrency %u, %u worker%s inside, %u caller%s asleep, ", a.number,
            a.is_default ? " (an application thread's own)" : "", a.concurrency(), a.watch.workers().all(),
            many(a.watch.workers().all()), a.watch.callers_asleep(), many(a.watch.callers_asleep()));
    if (const std::uint32_t watcher = a.watch.watcher())
        out.add("watched by slot %u", watcher - 1);
    else
        out.add("not watched, alarm %s", a.watch.alarm.is_raised() ? "raised" : "lowered");
    out.add("; enqueued %zu, critical %zu; %u wait for a slot; workers requested %u%s%s\n", a.enqueued.size(),
            a.critical.size(), a.waiting_for_slot(), a.record.requested,
            a.has_abandoned_slot() ? ", abandoned slots" : "",
            a.is_abandoned.load(std::memory_order_relaxed) ? ", abandoned" : "");
    a.each_slot([&](slot& s) { add_slot(out, s); });
}

// ---- the process ----

void add_crew(report& out) {
    const auto now = [](const auto& value) { return value.load(std::memory_order_relaxed); };
    out.add("bough:   crew: limit %u; workers: %u started, %u active%s%s%s; application threads asleep: %u\n",
            now(crew_limits.limit), now(crew_limits.started), now(crew_limits.active),
            crew_limits.requests.highest() != 0 ? ", requested by an arena" : "",
            now(crew_limits.dismissing) ? ", being dismissed" : "",
            now(crew_limits.without_workers) ? ", refused by the system" : "", now(crew_limits.sleeping));
    const bool seen = process_crew().try_look([&](const crew::kept& kept) {
        out.add("bough:   crew: %zu parked, %u blocked%s\n", kept.parked, kept.blocked,
                kept.is_refused ? "; the last thread that was asked for was refused" : "");
        for (arena* a : kept.arenas)
            add_arena(out, *a);
    });
    if (!seen)
        out.add("bough:   the crew's lock is held: no arenas are shown\n");
}

void add_sleepers(report& out) {
    std::size_t in_arenas = 0, elsewhere = 0;
    const bool all = process_parking_lot().try_each(
        [&](const void*, const void* place, std::uintptr_t) { ++(place ? in_arenas : elsewhere); });
    out.add("bough:   asleep: %zu thread%s in waits and for slots, %zu in other primitives%s\n", in_arenas,
            many(in_arenas), elsewhere, all ? "" : "; a list of sleepers is locked, and not counted");
}

report& cleared() {
    // Takes no memory before its first use: until then its pages are untouched. A slot's line has some 200 characters.
    static constinit char text[std::size_t{1} << 18];
    static constinit report out(text, sizeof text);
    out.clear();
    return out;
}

void add_all(report& out) {
    add_crew(out);
    add_sleepers(out);
    out.add("bough: watchdog: that is all; the stacks: gdb -p %d -batch -ex 'thread apply all bt'\n",
            machine::this_process_id());
}

}  // namespace

void report_stall(unsigned after_s) {
    report& out = cleared();
    out.add("bough: watchdog: process %d: nothing has gone on for %u s: a deadlock, a body that waits for "
            "what never "
            "comes, a lost wake-up, or a body that simply runs long\n",
            machine::this_process_id(), after_s);
    add_all(out);
    out.write();
}

void report_resumed() {
    report& out = cleared();
    out.add("bough: watchdog: process %d: it goes on\n", machine::this_process_id());
    out.write();
}

void report_asked() {
    report& out = cleared();
    out.add("bough: watchdog: process %d: asked by SIGQUIT\n", machine::this_process_id());
    add_all(out);
    out.write();
}

}  // namespace bough
