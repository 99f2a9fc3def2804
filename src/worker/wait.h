#pragma once
// The loop of every thread that waits inside a call. A policy says for what, and what the thread may run meanwhile. An
// idle worker, which is inside nothing, waits in idle.cpp.
//
// A policy has:
//   bool is_done()           what the thread waits for has come
//   bool run_own()           runs a task of the thread's own; false if there is none
//   ticks first_look()       how long after that the thread looks at what others have
//   found find(ticks now)    claims what the thread may run
//   void worked()            that has been run
//   void found_nothing()     there was nothing
//   void sleep()             until something may have changed

#include <utility>

#include "machine/clock.h"
#include "machine/pause.h"
#include "steal/look_timer.h"
#include "worker/fibers.h"
#include "worker/fork.h"
#include "worker/hand_out.h"
#include "worker/worker.h"

namespace bough {

// Until something was run, or the thread has slept, or the wait is over.
template <class Policy>
BOUGH_NOINLINE void look_around(slot& s, Policy& policy) {
    check_not_forked_inside(s);  // after what was run here: a child of fork() may have come back from it
    const spell searching(s.counted, activity::searching, activity::working);
    const auto done = [&policy] { return policy.is_done(); };
    const machine::ticks since = machine::now();
    look_timer timer(since, policy.first_look(), tuned().watch_most);
    while (!policy.is_done()) {
        const machine::ticks now = machine::now();
        if (let_others_on(s, done))
            return;
        if (timer.is_due(now)) {
            if (found f = policy.find(now)) {
                run(s, std::move(f));
                return policy.worked();
            }
            policy.found_nothing();
        }
        machine::pause();
        if (shall_sleep(s, now - since))
            return policy.sleep();
    }
}

template <class Policy>
void wait(slot& s, Policy&& policy) {
    const auto done = [&policy] { return policy.is_done(); };
    while (!policy.is_done())
        if (!policy.run_own() && !let_others_on(s, done))
            look_around(s, policy);
}

// A wait for tasks: everything may be run meanwhile, the newest own tasks first.
template <class Done, class Sleep>
class until {
public:
    until(slot& s, Done done, Sleep go_to_sleep) : s_(s), done_(done), go_to_sleep_(go_to_sleep) {}

    bool is_done() const { return done_(); }
    bool run_own() { return run_own_task(s_); }
    static machine::ticks first_look() { return 0; }
    found find(machine::ticks) {
        found f = find_own_task(s_);
        if (!f)
            f = take_back_task(s_);
        if (!f)
            f = find_work(s_);
        return f;
    }
    static void worked() {}
    void found_nothing() {
        local_queue::expose_all_here();  // tasks that this thread may not take now
        if (is_forked_child() && !crew::stand_in::is_due(s_)) [[unlikely]]
            end_if_alone(s_, done_);
    }
    void sleep() { go_to_sleep_(); }

private:
    slot& s_;
    Done done_;
    Sleep go_to_sleep_;
};

}  // namespace bough
