#pragma once
// Contexts in the core's chain of things that can be cancelled together, so that a loop of the core is cancelled with
// the task around it, and a task with the loop around it.

#include <bough/detail/cancel_node.h>

#include <oneapi/tbb/task_group.h>

#include "contexts.h"

namespace bough::compat::abi {

struct context_group : detail::outer_group {
    static constexpr char tag = 0;  // its address names this runtime

    // `release` null: the context is the program's.
    context_group(tbb::detail::d1::task_group_context* c, const std::atomic<std::uint32_t>& flag,
                  void (*release_own)(detail::outer_group&) noexcept = nullptr)
        : outer_group{&tag, &flag, cancel_context, release_own, reset_context}, context(c) {}

    static context_group* of(detail::outer_group* g) {
        return g && g->runtime == &tag ? static_cast<context_group*>(g) : nullptr;
    }

    tbb::detail::d1::task_group_context* context;

private:
    static void reset_context(detail::outer_group& g) noexcept {
        tbb::detail::r1::task_group_context_impl::reset(*static_cast<context_group&>(g).context);
    }
    static void cancel_context(detail::outer_group& g) noexcept {
        tbb::detail::r1::task_group_context_impl::cancel(*static_cast<context_group&>(g).context);
    }
};

}  // namespace bough::compat::abi
