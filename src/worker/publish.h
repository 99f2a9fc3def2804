#pragma once
// Makes a task known to other threads. The calling thread sits in `s`. Spawns and fork-join calls end here, so it is
// short and inline.

#include "balancing.h"
#include "worker/hand_off.h"
#include "worker/mail_tasks.h"
#include "worker/worker.h"

namespace bough {

// Puts t into the slot's queue. False: no memory, nothing done.
inline bool push(slot& s, task& t) {
    if (s.isolation != 0) [[unlikely]] {
        if (!s.isolated.push(t, s.queue.next_place()))
            return false;
    } else {
        if (!local_queue::owner(s.queue).push(t))
            return false;
        count(s.counted, event::spawned);
    }
    call_if_unwatched(s.home, s.queue);
    balancing::poll_now_and_then(s);
    return true;
}

// Hands t off to an idle worker, or mails it, if the tree of tasks here wants that, else puts it into the slot's queue.
// False: no memory, nothing done.
inline bool publish(slot& s, task& t) {
    if (s.tree.tasks_go >= spawning::to_idle_workers && s.isolation == 0) [[unlikely]]
        return publish_at_start(s, t);
    return push(s, t);
}

}  // namespace bough
