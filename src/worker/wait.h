#pragma once
// The loop of every thread that waits: an idle worker, which is inside nothing (idle.cpp), a caller of a loop
// (entry/loop.cpp), and threads that wait for tasks or for other stacks (`until`). A policy says what the thread waits
// for, and what it may run meanwhile:
//   bool is_done()                    what the thread waits for has come
//   bool run_own()                    runs a task of the thread's own; false if there is none
//   look_timer begin(ticks now)       there was none: when the thread looks at other slots
//   bool poll()                       in each round: has the thread been handed work, and run it?
//   bool share_cpu(ticks now)         does another thread want this CPU? True if the thread has run something instead
//   found find(ticks now)             at each look: claims what the thread may run
//   void found_nothing()              there was nothing
//   void worked()                     what was found has been run
//   bool is_impatient(ticks waited)   the thread has looked for long enough
//   bool give_up()                    if impatient: it sleeps until something may have changed, or leaves. False: it
//                                     has to stay, and goes on looking as often as before
//   bool rest(ticks waited)           if not impatient, before the next round. True if the thread has run something

#include <utility>

#include "balancing.h"
#include "machine/clock.h"
#include "machine/pause.h"
#include "machine/thread.h"
#include "steal/look_timer.h"
#include "worker/hand_off.h"
#include "worker/rare.h"
#include "worker/worker.h"

namespace bough {

// Returns when something was run, when the thread has slept, or when the wait is over.
template <class Policy>
BOUGH_NOINLINE void look_around(slot& s, Policy& policy) {
    rare::after_bodies(s);
    const spell searching(s.counted, activity::searching, activity::working);
    const auto done = [&policy] { return policy.is_done(); };
    machine::ticks since = machine::now();
    look_timer timer = policy.begin(since);
    while (!policy.is_done()) {
        if (policy.poll())
            return;
        const machine::ticks now = machine::now();
        if (policy.share_cpu(now) || rare::let_others_on(s, done))
            return;
        if (timer.is_due(now) || balancing::has_come(s)) {
            if (found f = policy.find(now)) {
                run(s, std::move(f));
                return policy.worked();
            }
            policy.found_nothing();
        }
        if (!policy.is_impatient(now - since)) {
            if (policy.rest(now - since))
                return;
        } else if (balancing::is_about_to_be_answered(s, now - since)) {
            machine::yield();
        } else {
            if (balancing::give_up(s) || policy.give_up())
                return;
            since = machine::now();
        }
    }
}

template <class Policy>
void wait(slot& s, Policy&& policy) {
    const auto done = [&policy] { return policy.is_done(); };
    balancing::begin_wait(s);
    while (!policy.is_done())
        if (!policy.run_own() && !rare::let_others_on(s, done))
            look_around(s, policy);
    balancing::end_wait(s);
}

// What the waits of callers have in common: they are handed no work, pause between two rounds, and sleep in the end.
class wait_inside_a_call {
public:
    static bool poll() { return false; }
    static void worked() {}
    bool is_impatient(machine::ticks waited) const { return shall_sleep(s_, waited); }
    static bool share_cpu(machine::ticks) { return false; }
    static bool rest(machine::ticks waited) {
        if (waited > tuned().spin)
            machine::yield();  // a thread that shares its CPU goes first
        else
            machine::pause();
        return false;
    }

protected:
    explicit wait_inside_a_call(slot& s) : s_(s) {}
    slot& s_;
};

// A wait for tasks, or for other stacks. The thread may run everything meanwhile, its own newest tasks first.
template <class Done, class Sleep>
class until : public wait_inside_a_call {
public:
    until(slot& s, Done done, Sleep go_to_sleep)
        : wait_inside_a_call(s), done_(done), go_to_sleep_(go_to_sleep) {}

    bool is_done() const { return done_(); }
    bool run_own() { return run_own_task(s_); }
    static look_timer begin(machine::ticks now) { return {now, 0, tuned().watch_most}; }
    found find(machine::ticks) {
        found f = find_own_task(s_);
        if (!f)
            f = take_back_task(s_);
        if (!f)
            f = find_work(s_, nullptr, wait_end(done_));
        return f;
    }
    void found_nothing() {
        local_queue::expose_all_here();  // of tasks that this thread may not take now
        rare::found_nothing(s_, done_);
    }
    bool give_up() {
        go_to_sleep_();
        return true;
    }

private:
    Done done_;
    Sleep go_to_sleep_;
};

}  // namespace bough
