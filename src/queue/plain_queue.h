#pragma once
// A local queue without private tasks: thieves can take every task as soon as it is pushed. The members are those that
// a local queue needs beside push, pop and steal (README.md, "A variant"). private_queue.h is the counterpart for
// queues with private tasks.

#include "queue/steal_result.h"

namespace bough {

namespace detail {
class arena;
}

template <class Queue>
class plain_queue : public Queue {
public:
    explicit plain_queue(detail::arena&) {}

    // Thieves see the parts of loops (arena::has_published_work).
    static constexpr bool parts_are_published = true;
    // Only the balancer of channels sends requests (channel_queue.h).
    static bool has_more_than_asked() { return false; }

    // Can a thief take the task at this place, which oldest_place() has shown?
    static bool is_public(queue_index) { return true; }
    static void ask_for_tasks() {}

    // Here tasks become public only by a push.
    static void on_exposed(void (*)(detail::arena&)) {}

    // The calling thread owns the queue from begin_owning() until end_owning().
    void begin_owning() {}
    void end_owning() {}

    // Called before the calling thread sleeps: exposes the private tasks of every queue that the thread owns.
    static void expose_all_here() {}

    // The owner calls these around a process fork.
    void lock_for_process_fork() {
        if constexpr (requires { this->mutex(); })
            this->mutex().lock();
    }
    void unlock_after_process_fork() {
        if constexpr (requires { this->mutex(); })
            this->mutex().unlock();
    }
    // The same for what all queues of the process share. begin_in_child() is for the queues of the calling thread.
    static void lock_all_for_process_fork() {}
    static void unlock_all_in_parent() {}
    static void begin_in_child() {}
};

}  // namespace bough
