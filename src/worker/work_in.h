#pragma once
// The loop of everybody who waits for tasks.

#include "machine/clock.h"
#include "machine/pause.h"
#include "steal/look_timer.h"
#include "worker/fibers.h"
#include "worker/fork.h"
#include "worker/hand_out.h"
#include "worker/worker.h"

namespace bough {

inline found find_back_or_elsewhere(slot& s) {
    found f = take_back_task(s);
    return f ? std::move(f) : find_work(s);
}

// With no task of its own to run: what others have; then `sleep`, until something may have changed.
template <class Done, class Sleep>
BOUGH_NOINLINE void look_around(slot& s, Done&& done, Sleep&& sleep) {
    check_not_forked_inside(s);
    const spell searching(s.counted, activity::searching, activity::working);
    const tuning& t = tuned();
    const machine::ticks since = machine::now();
    look_timer timer(since, 0, t.watch_most);
    while (!done()) {
        const machine::ticks now = machine::now();
        if (let_others_on(s, done))
            return;
        if (timer.is_due(now)) {
            if (run_own_task(s))
                return;
            if (found f = find_back_or_elsewhere(s))
                return run(s, std::move(f));
            local_queue::expose_all_here();  // tasks that this thread may not take now
            if (is_forked_child() && !crew::stand_in::is_due(s)) [[unlikely]]
                end_if_alone(s, done);
        }
        machine::pause();
        if (shall_sleep(s, now - since))
            return sleep();
    }
}

// Until done(): the newest own tasks first.
template <class Done, class Sleep>
void work_in(slot& s, Done&& done, Sleep&& sleep) {
    while (!done()) {
        if (!run_own_task(s) && !let_others_on(s, done))
            look_around(s, done, sleep);
    }
}

}  // namespace bough
