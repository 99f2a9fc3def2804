#pragma once
// task_group_state::pending, for the threads that finish a group's tasks and those that wait for them: unfinished tasks
// times two, plus one while a waiter sleeps. The waiter sleeps in the parking lot, by the number's address. Number is
// the type of the group, or the explorer's (tests/model).

#include <atomic>
#include <cstdint>

namespace bough::group_count {

constexpr std::uint64_t one_task = 2;
constexpr std::uint64_t sleeper = 1;

// A task has been run.
template <class Number, class Wake>
void finish(Number& pending, Wake&& wake_all) {
    const void* key = &pending;
    // acq_rel: pairs with is_done() and with the other tasks' decrements. seq_cst: store-load pair with a sleeper in
    // the parking lot; the load is in wake_all (park/README.md). The group may be gone right after.
    const std::uint64_t before = pending.fetch_sub(one_task, std::memory_order_seq_cst);
    if (before == one_task + sleeper)
        wake_all(key);
}

// Before a waiter enters the parking lot.
template <class Number>
void announce_sleep(Number& pending) {
    // The last task sees the bit, or this thread sees that the group is done. relaxed: is_done() acquires what the
    // tasks wrote, and this read-modify-write continues the release sequence of their decrements.
    std::uint64_t seen = pending.load(std::memory_order_relaxed);
    while (seen >= one_task && !pending.compare_exchange_weak(seen, seen | sleeper, std::memory_order_relaxed,
                                                              std::memory_order_relaxed)) {
    }
}
// Asked in the parking lot. If another waiter has cleared the bit, no task would wake this thread: it must not sleep.
template <class Number>
bool is_announced(const Number& pending) {
    return (pending.load(std::memory_order_relaxed) & sleeper) != 0;
}

// After the wait: clears the bit, unless another thread has begun to use the group again.
template <class Number>
void forget_sleeper(Number& pending) {
    std::uint64_t only_the_bit = sleeper;
    if (pending.load(std::memory_order_relaxed) == only_the_bit)
        pending.compare_exchange_strong(only_the_bit, 0, std::memory_order_relaxed,
                                        std::memory_order_relaxed);
}

}  // namespace bough::group_count
