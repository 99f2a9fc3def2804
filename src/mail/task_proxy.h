#pragma once
// A task that can be reached from two places, a mailbox and a local queue, and runs once. README.md.
// Invariant: the proxy is freed by the second of the two that sees it, so neither holds a dangling pointer.

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

    // `run_proxied` is the dispatcher's entry for a proxy met in a queue.
    basic_task_proxy(task& t, task::run_function run_proxied, mail_round passed_on = {})
        : round(passed_on), state_(reinterpret_cast<std::uintptr_t>(&t) | queue | mailbox) {
        run = run_proxied;
    }

    const mail_round round;  // that goes to the receiver with the task

    // Called once for each place by whoever took the proxy out of it. Returns the task to the first caller and null to
    // the second, for whom the proxy is gone afterwards.
    static task* take(basic_task_proxy& p, place from) {
        std::uintptr_t state = p.state_.load(std::memory_order_acquire);
        task* const t = reinterpret_cast<task*>(state & ~both);
        // What is left says where the proxy still lies. release: pairs with the other caller's acquire, who frees the
        // proxy: this access is over before.
        if ((state & both) == both &&
            p.state_.compare_exchange_strong(state, both & ~from, std::memory_order_release,
                                             std::memory_order_acquire))
            return t;
        const bool is_spent = state < both;
        Atomics::dispose(&p);
        return is_spent ? nullptr : t;
    }

    // It will not get to this place after all: the other one has it alone, or has had it.
    static void withdraw(basic_task_proxy& p, place from) {
        std::uintptr_t state = p.state_.load(std::memory_order_acquire);
        // As in take().
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
