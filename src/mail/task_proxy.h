#pragma once
// A proxy stands for a task that can be reached from two places, a mailbox and a local queue, and runs once. README.md.
// Invariant: of the two threads that take the proxy out of its places, the second one frees it. So no place holds a
// dangling pointer.

#include <atomic>
#include <cstdint>

#include "bough/detail/task.h"
#include "machine/atomics.h"
#include "mail/mail_round.h"

namespace bough {

using detail::task;

template <class Atomics>
class basic_task_proxy : public task {
public:
    enum place : std::uintptr_t { queue = 1, mailbox = 2 };

    // A thread that finds the proxy in a queue runs it as a task: it calls `run_proxied`.
    basic_task_proxy(task& t, task::run_function run_proxied, mail_round passed_on = {})
        : round(passed_on), state_(reinterpret_cast<std::uintptr_t>(&t) | queue | mailbox) {
        run = run_proxied;
    }

    const mail_round round;  // goes to the receiver with the task

    // Called once for each place, by the thread that took the proxy out of it. The first caller gets the task, and must
    // not touch the proxy afterwards. The second caller gets null, and the proxy is freed. After withdraw() there is
    // only one caller: it gets the task, and the proxy is freed.
    static task* take(basic_task_proxy& p, place from) {
        std::uintptr_t state = p.state_.load(std::memory_order_acquire);
        task* const t = reinterpret_cast<task*>(state & ~both);
        // The bit that is left says where the proxy still lies. release: pairs with the acquire of the other caller,
        // which frees the proxy; this access is over before that.
        if ((state & both) == both &&
            p.state_.compare_exchange_strong(state, both & ~from, std::memory_order_release,
                                             std::memory_order_acquire))
            return t;
        const bool is_spent = state < both;
        Atomics::dispose(&p);
        return is_spent ? nullptr : t;
    }

    // For the thread that alone may take the proxy out of one of its places: take() would return null. False may be out
    // of date.
    bool is_spent() const {
        // relaxed: take() decides.
        return state_.load(std::memory_order_relaxed) < both;
    }

    // For a proxy that could not be put into this place. If the other place still has the proxy, it has it alone; if a
    // thread has taken the task there already, frees the proxy.
    static void withdraw(basic_task_proxy& p, place from) {
        std::uintptr_t state = p.state_.load(std::memory_order_acquire);
        // Orders as in take().
        if ((state & both) != both ||
            !p.state_.compare_exchange_strong(state, state & ~from, std::memory_order_release,
                                              std::memory_order_acquire))
            Atomics::dispose(&p);
    }

private:
    static constexpr std::uintptr_t both = queue | mailbox;

    typename Atomics::template atomic<std::uintptr_t> state_;
};

using task_proxy = basic_task_proxy<machine::atomics>;

}  // namespace bough
