#include "groups.h"

#include <bough/detail/dispatch.h>

#include <memory>
#include <new>

#include "current.h"

namespace bough::compat::abi {

namespace {

using contexts = tbb::detail::r1::task_group_context_impl;
using tbb::detail::d1::task_group_context;

// A context for a node of the core's that has none.
struct made_group : context_group {
    made_group()
        : context_group(&own, contexts::cancellation(own),
                        [](detail::outer_group& g) noexcept { delete static_cast<made_group*>(&g); }) {}
    task_group_context own{task_group_context::bound};
};

task_group_context* context_of(const detail::cancel_node* n) noexcept;

task_group_context* make_context(const detail::cancel_node& n) noexcept try {
    auto made = std::make_unique<made_group>();
    contexts::bind_to(made->own, context_of(n.parent));
    detail::outer_group* none = nullptr;
    // release: pairs with is_stopped() and context_of(). seq_cst: store-load pair with stop(), which finds the group, or
    // has stopped.
    if (n.group.compare_exchange_strong(none, made.get(), std::memory_order_seq_cst)) {
        task_group_context* const context = made.release()->context;
        if (n.stopped.load(std::memory_order_seq_cst))
            contexts::cancel(*context);
        return context;
    }
    const context_group* others = context_group::of(none);
    return others ? others->context : nullptr;
} catch (const std::bad_alloc&) {
    return nullptr;
}

task_group_context* context_of(const detail::cancel_node* n) noexcept {
    if (!n)
        return nullptr;
    if (const context_group* g = context_group::of(n->group.load(std::memory_order_acquire)))
        return g->context;
    return make_context(*n);
}

}  // namespace

task_group_context* context_here() noexcept {
    return context_of(detail::here().scope);
}

}  // namespace bough::compat::abi
