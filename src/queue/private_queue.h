#pragma once
// A local queue with private tasks (split.h): the owner keeps them until a thief asks. Then the owner exposes some of
// them at its next push or pop, or a signal handler in its thread does. Has the members of plain_queue.

#include <atomic>
#include <cstdio>
#include <optional>

#include "bough/config.h"
#include "bough/statistics.h"
#include "machine/interrupt.h"
#include "machine/once.h"
#include "profile/settings.h"
#include "queue/steal_result.h"
#include "queue_atomics.h"

namespace bough {

namespace detail {
class arena;
}

template <class Queue>
class private_queue : public Queue {
    using queue_owner = typename Queue::owner;
    using queue_thief = typename Queue::thief;

public:
    // Thieves see the parts of loops (arena::has_published_work).
    static constexpr bool parts_are_published = true;
    // Only the balancer of channels sends requests (channel_queue.h).
    static bool has_more_than_asked() { return false; }

    class owner : public queue_owner {
    public:
        explicit owner(private_queue& q) : queue_owner(q), q_(q) {}

        // As Queue's. If no signal can be sent, no task stays private. The caller reads the alarm next.
        bool push(task& t) {
            const bool has_pushed = queue_owner::push(t);
            if (Queue::needs_signal && !q_.interrupts_) [[unlikely]]
                this->expose_all();
            return has_pushed;
        }
        // As Queue's.
        task* pop() {
            task* const t = queue_owner::pop();
            attend();
            return t;
        }
        bool pop(task& t) {
            const bool is_mine = queue_owner::pop(t);
            attend();
            return is_mine;
        }
        // Exposes all private tasks. If there were any, on_exposed()'s function is called.
        void expose_all_and_tell() {
            if (this->expose_all())
                tell_of_exposed(q_.home_);
        }

    private:
        void attend() {
            if (queue_owner::attend()) [[unlikely]]
                tell_of_exposed(q_.home_);
        }

        private_queue& q_;
    };

    class thief : public queue_thief {
    public:
        explicit thief(private_queue& q) : queue_thief(q), q_(q) {}

        // As Queue's. But if only private tasks are left, the thief asks for them, and the answer is `retry`.
        steal_result steal(queue_index place) {
            steal_result r = queue_thief::steal(place);
            if (r.status == steal_status::private_work) {
                r.status = steal_status::retry;
                q_.ask_for_tasks();
            }
            return r;
        }

    private:
        friend class private_queue;
        void send_signal() {
            if constexpr (Queue::needs_signal) {
                // relaxed: after ask() this is the present owner, or another thief may ask again (change_owner).
                if (machine::interrupts::send(q_.thread_.load(std::memory_order_relaxed)))
                    queue_atomics::count(event::signal_sent, 1);
                else
                    this->take_back();
            }
        }

        private_queue& q_;
    };

    explicit private_queue(detail::arena& home) : home_(home) {
        if constexpr (Queue::needs_signal)
            if (signals_work())
                interrupts_.emplace(process_settings().signal, expose_here);
    }
    private_queue(const private_queue&) = delete;
    private_queue& operator=(const private_queue&) = delete;

    // A thief that asked in vain leaves, and may be the last one that looked. So an owner that exposes tasks later,
    // other than in a push, publishes them: it calls `tell` with the queue's arena. To be set before the first push.
    using teller = void (*)(detail::arena&);
    static void on_exposed(teller tell) { tell_of_exposed = tell; }

    // Any thread: the owner exposes private tasks, soon or at its next push or pop.
    void ask_for_tasks() {
        thief t(*this);
        if (t.ask())
            t.send_signal();
    }

    void begin_owning() {
        beneath_ = newest_here;
        std::atomic_signal_fence(std::memory_order_seq_cst);  // a handler sees a complete list
        newest_here = this;
        was_blocked_ = interrupts_ && machine::interrupts::let_in();
        change_owner();
    }

    // Exposes all private tasks.
    void end_owning() {
        thread_.store(0, std::memory_order_relaxed);
        private_queue** at = &newest_here;
        while (*at && *at != this)
            at = &(*at)->beneath_;
        if (*at)
            *at = beneath_;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        owner(*this).expose_all_and_tell();
        machine::interrupts::end(was_blocked_);
    }

    static void expose_all_here() {
        for (private_queue* q = newest_here; q; q = q->beneath_)
            owner(*q).expose_all_and_tell();
    }

    void lock_for_process_fork() {}
    void unlock_after_process_fork() {}
    static void lock_all_for_process_fork() { machine::interrupts::lock_for_process_fork(); }
    static void unlock_all_in_parent() { machine::interrupts::unlock_in_parent(); }
    // In the child process the thread that called fork() has another number.
    static void begin_in_child() {
        machine::interrupts::begin_in_child();
        for (private_queue* q = newest_here; q; q = q->beneath_)
            q->change_owner();
    }

private:
    // The owner's number is stored before the asks are forgotten: a thief that asks after that reads the new number.
    void change_owner() {
        thread_.store(machine::this_thread_id(), std::memory_order_relaxed);
        owner(*this).forget_asks();
    }

    // The signal handler. It need not call `tell`: is_empty() has counted the tasks that it exposes.
    static void expose_here() {
        for (private_queue* q = newest_here; q; q = q->beneath_)
            owner(*q).expose();
    }

    static bool signals_work() {
        static constinit machine::made_once<bool> work;
        return work.get([] {
            const bool can_be_sent = machine::interrupts::work(process_settings().signal);
            if (!can_be_sent)
                std::fprintf(stderr, "bough: signal %d cannot be sent here: thieves see every task at once\n",
                             process_settings().signal);
            return can_be_sent;
        });
    }

    // The list of the queues that this thread owns, newest first. The signal handler reads it.
    static inline constinit thread_local private_queue* newest_here BOUGH_FAST_TLS = nullptr;

    static inline constinit teller tell_of_exposed = nullptr;

    detail::arena& home_;
    std::optional<machine::interrupts> interrupts_;
    std::atomic<int> thread_{0};        // the owner's number, for signals
    bool was_blocked_ = false;          // the owner's thread had blocked the signal before
    private_queue* beneath_ = nullptr;  // the next queue in the owner's list
};

}  // namespace bough
