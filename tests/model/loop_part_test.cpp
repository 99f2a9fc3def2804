// A part of a loop: its owner publishes and claims, thieves take the back half, helpers report, the last one acts for
// an owner that has left; and the part is used anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "bough/detail/loop_job.h"
#include "model/atomics.h"
#include "model/explorer.h"
#include "model/mutants.h"
#include "park/alarm.h"
#include "park/parking_lot.h"
#include "share/loop_part.h"

namespace bough::model {
namespace {

using part = basic_loop_part<atomics>;
using interval = part::assignment;

constexpr bool at_once = true, after_the_gate = false;

// A loop of a few units on its caller's stack: gone when the caller goes on.
struct loop : loop_job {
    loop() { lives.set(1); }
    void run(unit first, unit last) {
        check(lives.get() == 1, "a job came without its content, or after its end");
        check(last <= ran.size(), "units that are none");
        for (unit u = first; u < std::min<unit>(last, ran.size()); ++u) {
            check(ran[u].get() == 0, "a unit ran twice");
            ran[u].set(1);
        }
    }
    // What all units have done is seen, and nobody reads the job any more.
    void end(unit count) {
        lives.set(0);
        for (unit u = 0; u < count; ++u)
            check(ran[u].get() == 1, "a unit was lost");
    }
    plain<int> lives{0};
    std::array<plain<int>, 4> ran;
};

void run(const interval& i) {
    check(i.job, "no job");
    if (i.job)
        static_cast<loop&>(*i.job).run(i.first, i.last);
}

void work_off(part& p, loop& l, std::uint32_t claimed, bool opens) {
    std::uint32_t first = 0;
    for (std::uint32_t count = claimed; count != 0; count = p.claim(1, opens, &first))
        l.run(p.map.get().begin_of(first), p.map.get().begin_of(first + count));
}

void join(part& p) {
    while (!p.is_joined())
        atomics::pause();
}

// The caller of a loop of so many units; nobody is asked for help.
void call(part& p, loop& l, std::uint32_t units) {
    p.publish_whole(l, 0, piece_map(0, units), 1);
    work_off(p, l, 1, at_once);
    join(p);
    l.end(units);
}

// Takes from the part, and goes on taking; whoever has to be told is.
void help(part& p, int looks, bool goes_on, atomic<int>* told = nullptr) {
    while (looks-- > 0) {
        const auto taken = p.steal(p.look());
        if (!taken)
            continue;
        run(*taken);
        while (goes_on) {
            const auto more = p.steal_more(p.look());
            if (!more)
                break;
            run(*more);
        }
        if (report_up_from(&p) && told)
            told->store(1, std::memory_order_relaxed);
        return;
    }
}

program stolen_from(std::uint32_t units, std::vector<bool> thieves) {
    return [=](model::run& r) {
        struct state {
            part p;
            loop l;
        };
        auto s = std::make_shared<state>();
        r.thread([=] { call(s->p, s->l, units); });
        for (const bool goes_on : thieves)
            r.thread([=] { help(s->p, 1, goes_on); });
    };
}

// A second loop in the same part, while a thief still looks at the first.
program used_anew() {
    return [](model::run& r) {
        struct state {
            part p;
            loop first, second;
        };
        auto s = std::make_shared<state>();
        r.thread([=] {
            call(s->p, s->first, 2);
            call(s->p, s->second, 3);
        });
        r.thread([=] { help(s->p, 2, false); });
    };
}

// One that wants pieces of the first loop only.
program taken_of_one_loop() {
    return [](model::run& r) {
        struct state {
            part p;
            loop first, second;
        };
        auto s = std::make_shared<state>();
        r.thread([=] {
            call(s->p, s->first, 2);
            call(s->p, s->second, 3);
        });
        r.thread([=] {
            const loop_word seen = s->p.look();
            if (s->p.job.load(std::memory_order_relaxed) != &s->first)
                return;
            if (const auto taken = s->p.steal(seen)) {
                check(taken->job == &s->first, "of another loop");
                run(*taken);
                report_up_from(&s->p);
            }
        });
    };
}

// One that looks whose descendant the job is before it takes anything.
program joined_in() {
    return [](model::run& r) {
        struct state {
            part p;
            loop l;
        };
        auto s = std::make_shared<state>();
        r.thread([=] { call(s->p, s->l, 3); });
        r.thread([=] {
            if (!s->p.join_in(s->p.look()))
                return;
            const auto* const l = static_cast<loop*>(s->p.job.load(std::memory_order_relaxed));
            check(l && l->lives.get() == 1, "gone");
            if (const auto taken = s->p.steal_more(s->p.look(), 1))
                run(*taken);
            report_up_from(&s->p);
        });
    };
}

// The caller hands the last unit out, publishes the rest, and another one was planned but found nobody.
program handed_off(bool is_cancelled) {
    return [=](model::run& r) {
        struct state {
            part p;
            loop l;
            atomic<int> given{0};
            interval gift;
        };
        auto s = std::make_shared<state>();
        r.thread([=] {
            s->p.prepare(s->l, nullptr, 0, 2);
            s->gift.job = &s->l;
            s->gift.parent = &s->p;
            s->gift.first = 2;
            s->gift.last = 3;
            s->given.store(1, std::memory_order_release);
            s->p.map.set(piece_map(0, 2));
            s->p.publish_shared(1, after_the_gate, 1);
            if (is_cancelled) {
                s->l.run(0, 1);
                s->p.drain();
                join(s->p);
                s->l.lives.set(0);
                return;
            }
            work_off(s->p, s->l, 1, at_once);
            join(s->p);
            s->l.end(3);
        });
        r.thread([=] {
            while (s->given.load(std::memory_order_acquire) == 0)
                atomics::pause();
            run(s->gift);
            report_up_from(s->gift.parent);
        });
        r.thread([=] { help(s->p, 1, false); });
    };
}

// A helper of the caller has a part of its own below, which somebody takes from; it leaves, and uses the part anew when
// it is free. The last one reports to the caller, who sleeps.
program left() {
    return [](model::run& r) {
        struct state {
            part outer, inner;
            loop l, next;
            atomic<int> told{0};
            bool sleeps = false;
        };
        auto s = std::make_shared<state>();
        s->outer.prepare(s->l, nullptr, 0, 1);
        r.thread([=] {
            s->sleeps = !s->outer.leave();
            join(s->outer);
            s->l.end(3);
        });
        r.thread([=] {
            s->inner.prepare(s->l, &s->outer, 0, 0);
            s->inner.map.set(piece_map(0, 3));
            s->inner.publish(1, at_once);
            work_off(s->inner, s->l, 1, at_once);
            if (s->inner.leave() && report_up_from(&s->outer))
                s->told.store(1, std::memory_order_relaxed);
            while (s->inner.is_busy())
                atomics::pause();
            s->inner.publish_whole(s->next, 0, piece_map(0, 1), 1);
        });
        r.thread([=] { help(s->inner, 1, false, &s->told); });
        r.finally([=] { check(s->sleeps == (s->told.load(std::memory_order_relaxed) == 1), "not told"); });
    };
}

// The caller sleeps in the parking lot until the last helper has reported.
program sleeping_caller() {
    return [](model::run& r) {
        struct state {
            part p;
            loop l;
            basic_parking_lot<atomics> where;
        };
        auto s = std::make_shared<state>();
        s->p.prepare(s->l, nullptr, 0, 1);
        r.thread([=] {
            while (!s->p.leave())
                s->where.sleep(&s->p.word, nullptr, [&] { return s->p.is_joined(); });
            s->l.end(1);
        });
        r.thread([=] {
            s->l.run(0, 1);
            if (const part* caller = report_up_from(&s->p))
                s->where.wake_all(&caller->word);
        });
    };
}

// Publishes and looks for an alarm, while a thread goes to sleep.
program wakes(bool is_shared) {
    return [=](model::run& r) {
        struct state {
            part p;
            loop l;
            basic_alarm<atomics> alarm;
            bool is_called = false, saw_work = false;
        };
        auto s = std::make_shared<state>();
        s->alarm.lower();
        r.thread([=] {
            if (is_shared) {
                s->p.prepare(s->l, nullptr, 0, 0);
                s->p.map.set(piece_map(0, 2));
                s->p.publish_shared(1, after_the_gate, 0);
            } else {
                s->p.publish_whole(s->l, 0, piece_map(0, 2), 1);
            }
            s->is_called = s->alarm.is_raised();
        });
        r.thread([=] {
            s->alarm.raise();
            s->saw_work = s->p.remaining() != 0;
        });
        r.finally([=] { check(s->is_called || s->saw_work, "a wake-up is lost"); });
    };
}

TEST(model_loop_part, each_access_matters) {
    each_access_matters({stolen_from(3, {false}), stolen_from(4, {true}), stolen_from(3, {false, false}),
                         used_anew(), taken_of_one_loop(), joined_in(), handed_off(false), handed_off(true),
                         left(), sleeping_caller(), wakes(false), wakes(true)},
                        {{"describe store left out", "isolation: a hint until the part is held"},
                         {"describe store 2 left out", "grain: a hint"},
                         {"describe store 3 left out", "ticks per unit: a hint"}},
                        {"loop_part.h"});
}

}  // namespace
}  // namespace bough::model
