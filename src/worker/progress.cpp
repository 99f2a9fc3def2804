#include "worker/progress.h"

#include "machine/thread.h"
#include "worker/crew.h"
#include "worker/racy.h"

namespace bough {
namespace {

// Events that show that work goes on. A thread that only looks for work, or goes to sleep and wakes, shows nothing.
constexpr event steps[] = {event::spawned, event::executed, event::taken_from_mailbox, event::handed_off,
                           event::steal_won};

struct looker {
    const double computes_ms;  // CPU time that shows that a thread does more than wake now and then
    progress found{.is_seen = true};

    void note(bool under_way) { found.is_under_way = found.is_under_way || under_way; }
    // A hash of the values in their order, by FNV's prime.
    void add(std::uint64_t value) { found.sum = (found.sum ^ value) * 0x100000001b3; }
    void add(const counters& c) {
        for (const event e : steps)
            add(c.now(e));
    }

    void look_at(slot& s) {
        if (s.counted)
            add(*s.counted);
        add(s.used_parts());
        note(s.used_parts() != 0 || s.queue.has_tasks() || s.isolated.has_tasks());
        for (std::uint16_t i = 0; i < s.parts_made(); ++i) {
            const loop_word w(s.part(i).word.load(std::memory_order_relaxed));
            // Not the number of helpers: a thread that looks for descendants is one for a moment (find_work.cpp).
            add(w.generation());
            add(w.next());
            add(w.end());
            note(w.remaining() != 0);
        }
        if (s.home.is_occupied(s.index))
            look_at_thread_in(s);
    }

    void look_at_thread_in(slot& s) {
        const bool waits = s.counted && s.counted->doing() != activity::working && !has_worker(s);
        const bool is_inside = nesting_of(s) != 0;
        note(waits || is_inside);
        // Loops in an arena of one slot are not published: only the CPU time of its thread shows that they go on.
        if (is_inside && s.home.concurrency() == 1 && s.counted)
            add(static_cast<std::uint64_t>(machine::look_at_thread(s.counted->thread()).cpu_ms /
                                           computes_ms));
    }

    void look_at(arena& a) {
        note(a.critical.has_tasks() || a.enqueued.has_tasks() || a.watch.callers_asleep() != 0 ||
             a.waiting_for_slot() != 0 || a.has_abandoned_slot());
        a.each_slot([this](slot& s) { look_at(s); });
    }
};

}  // namespace

progress progress_now(double interval_ms) {
    looker all{.computes_ms = interval_ms / 4};
    const bool seen = process_crew().try_look([&](const crew::kept& kept) {
        for (arena* a : kept.arenas)
            all.look_at(*a);
    });
    if (!seen)
        return {};
    all.add(counters_of_nobody());
    return all.found;
}

}  // namespace bough
