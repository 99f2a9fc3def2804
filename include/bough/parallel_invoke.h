#pragma once
// parallel_invoke(f0, f1, ...): runs all functions, possibly in parallel, and waits for them. The tasks lie on the
// caller's stack.

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "context.h"
#include "detail/fork.h"
#include "detail/invoke_task.h"

namespace bough {
namespace detail {

// Takes the task back, counts it in `called`, and calls f here unless the group was stopped. If another thread has
// stolen the task, does nothing.
template <class F>
void call_unstolen(fork_group& group, invoke_task<F>& t, unsigned& called) {
    if (!take_back(group, t))
        return;
    ++called;
    if (!group.node.is_stopped())
        t.f();
}

// Spawns the tasks before the last one, from back to front. open_forks() has spawned the last one.
template <class Tasks, std::size_t... I>
void fork_others(fork_group& group, Tasks& tasks, std::index_sequence<I...>) {
    (fork(group, std::get<sizeof...(I) - 1 - I>(tasks)), ...);
}

// The caller calls the first function. It spawns the others from the last one on, and so takes them back in their
// order.
template <class Functions, std::size_t... I>
void fork_and_join(const Functions& functions, task_group_context* context, std::index_sequence<I...>) {
    constexpr std::size_t forks = sizeof...(I);
    fork_group group(forks, context);
    std::tuple tasks{invoke_task(std::get<I + 1>(functions), group)...};
    open_forks(group, std::get<forks - 1>(tasks));
    unsigned called = 0;
    bool thrown = false;
    try {
        fork_others(group, tasks, std::make_index_sequence<forks - 1>());
        if (!group.node.is_stopped())
            std::get<0>(functions)();
        (call_unstolen(group, std::get<I>(tasks), called), ...);
    } catch (...) {
        drop_forks(group);
        thrown = true;
    }
    if (called == forks && !thrown) [[likely]]
        close_forks(group);
    else
        join_forks(group, called);
}

}  // namespace detail

// Calls each argument once, in any order. The last argument may be a task_group_context&. Thread-safe, may be nested.
// Throws the first exception of a call, after the calls that had not begun were cancelled, and the context if there is
// one. Throws nesting_too_deep. Throws std::bad_alloc before any call if there is no memory for the thread's slot. If
// it is cancelled, it leaves out the calls that have not begun, and returns.
template <class First, class Second, class... Rest>
void parallel_invoke(First&& first, Second&& second, Rest&&... rest) {
    const auto all = std::tie(first, second, rest...);
    constexpr std::size_t last = sizeof...(Rest) + 1;
    using last_type = std::remove_reference_t<std::tuple_element_t<last, std::remove_const_t<decltype(all)>>>;
    if constexpr (std::is_same_v<last_type, task_group_context>) {
        static_assert(last > 1, "bough::parallel_invoke takes two functions or more");
        detail::fork_and_join(all, &std::get<last>(all), std::make_index_sequence<last - 1>());
    } else {
        detail::fork_and_join(all, nullptr, std::make_index_sequence<last>());
    }
}

}  // namespace bough
