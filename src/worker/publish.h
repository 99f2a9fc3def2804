#pragma once
// Making a task known to others. The calling thread sits in `s`; forks and spawns end here, so it is short and inline.

#include "worker/hand_off.h"
#include "worker/mail_tasks.h"
#include "worker/worker.h"

namespace bough {

// Into the slot's queue. False: no memory, nothing done.
inline bool push(slot& s, task& t) {
    if (s.isolation != 0) [[unlikely]] {
        if (!s.isolated.push(t))
            return false;
    } else {
        if (!local_queue::owner(s.queue).push(t))
            return false;
        count(s.counted, event::spawned);
    }
    call_if_unwatched(s.home);
    return true;
}

// Puts t where others find it: in the hands of an idle worker, or in a mailbox and the slot's queue, if that is wanted
// now, else in the slot's queue. False: no memory, nothing done.
inline bool publish(slot& s, task& t) {
    if (s.tree.tasks_go >= spawning::to_idle_workers && s.isolation == 0) [[unlikely]]
        return publish_at_start(s, t);
    return push(s, t);
}

}  // namespace bough
