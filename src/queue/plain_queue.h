#pragma once
// A local queue that keeps nothing to its owner: whatever was pushed, thieves can take. What a local queue is asked
// beside pushes, pops and steals: README.md "A variant". private_queue.h has the other kind.

namespace bough {

namespace detail {
class arena;
}

template <class Queue>
class plain_queue : public Queue {
public:
    explicit plain_queue(detail::arena&) {}

    // Nothing becomes public but by a push.
    static void on_exposed(void (*)(detail::arena&)) {}

    // The calling thread owns the queue from now on, until end_owning().
    void begin_owning() {}
    void end_owning() {}

    // Before the calling thread sleeps: gives away what only it can give away, from every queue that it owns.
    static void expose_all_here() {}

    // Around a fork of the process by the owner.
    void lock_for_process_fork() {
        if constexpr (requires { this->mutex(); })
            this->mutex().lock();
    }
    void unlock_after_process_fork() {
        if constexpr (requires { this->mutex(); })
            this->mutex().unlock();
    }
    // What all queues of the process share; in the child of the queues that the calling thread owns.
    static void lock_all_for_process_fork() {}
    static void unlock_all_in_parent() {}
    static void begin_in_child() {}
};

}  // namespace bough
