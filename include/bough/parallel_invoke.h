#pragma once
// parallel_invoke(f0, f1, ...): runs all of them, possibly in parallel, and waits. Tasks live on the caller's stack.

#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include "context.h"
#include "detail/invoke_task.h"
#include "detail/slot_view.h"
#include "detail/task.h"

namespace bough {
namespace detail {

// The innermost call runs the last function itself and waits for the others.
template <class F>
void invoke_all(task_group_state& state, const F& f) {
    invoke_task<F> t(f, state);
    run_here(t);
    wait(state);
}

// The task stays alive until the innermost call has waited.
template <class F, class... Rest>
void invoke_all(task_group_state& state, const F& f, const Rest&... rest) {
    invoke_task<F> t(f, state);
    spawn(t);
    invoke_all(state, rest...);
}

template <class Functions, std::size_t... I>
void invoke_tuple(const Functions& functions, task_group_context* context, std::index_sequence<I...>) {
    task_group_state state;
    const slot_view& caller = here();
    const bound_node bound(state.node, context, caller.scope);
    state.fp_settings = caller.fp_settings;
    invoke_all(state, std::get<I>(functions)...);
    if (!state.error)
        return;
    if (context)
        context->cancel_group_execution();
    std::rethrow_exception(std::move(state.error));
}

}  // namespace detail

// Each argument is called once, in any order; a task_group_context& may stand last. The first exception cancels the
// calls that have not begun and is rethrown. Thread-safe, may be nested.
template <class First, class Second, class... Rest>
void parallel_invoke(First&& first, Second&& second, Rest&&... rest) {
    const auto all = std::tie(first, second, rest...);
    constexpr std::size_t last = sizeof...(Rest) + 1;
    using last_type = std::remove_reference_t<std::tuple_element_t<last, std::remove_const_t<decltype(all)>>>;
    if constexpr (std::is_same_v<last_type, task_group_context>)
        detail::invoke_tuple(all, &std::get<last>(all), std::make_index_sequence<last>());
    else
        detail::invoke_tuple(all, nullptr, std::make_index_sequence<last + 1>());
}

}  // namespace bough
