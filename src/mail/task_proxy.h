#pragma once
// A task that can be reached from two places, a mailbox and a local queue, and runs once. README.md.
// Invariant: the proxy is freed by the second of the two that sees it, so neither holds a dangling pointer.

#include <atomic>
#include <cstdint>

#include "bough/detail/task.h"

namespace bough {

using detail::task;

class task_proxy : public task {
public:
    enum place : std::uintptr_t { queue = 1, mailbox = 2 };

    // `run_proxied` is the dispatcher's entry for a proxy met in a queue.
    task_proxy(task& t, task::run_function run_proxied)
        : state_(reinterpret_cast<std::uintptr_t>(&t) | queue | mailbox) {
        run = run_proxied;
    }

    // Called once for each place by whoever took the proxy out of it. Returns the task to the first caller and null to
    // the second, for whom the proxy is gone afterwards.
    static task* take(task_proxy& p, place from) {
        std::uintptr_t state = p.state_.load(std::memory_order_acquire);
        task* const t = reinterpret_cast<task*>(state & ~both);
        // What is left says where the proxy still lies. acq_rel: pairs with the other caller's, which frees the proxy: this
        // access is over before.
        if ((state & both) == both &&
            p.state_.compare_exchange_strong(state, both & ~from, std::memory_order_acq_rel,
                                             std::memory_order_acquire))
            return t;
        const bool is_spent = state < both;
        delete &p;
        return is_spent ? nullptr : t;
    }

    // It will not get to this place after all: the other one has it alone, or has had it.
    static void withdraw(task_proxy& p, place from) {
        std::uintptr_t state = p.state_.load(std::memory_order_acquire);
        // As in take().
        if ((state & both) != both ||
            !p.state_.compare_exchange_strong(state, state & ~from, std::memory_order_acq_rel,
                                              std::memory_order_acquire))
            delete &p;
    }

private:
    static constexpr std::uintptr_t both = queue | mailbox;

    std::atomic<std::uintptr_t> state_;
};

}  // namespace bough
