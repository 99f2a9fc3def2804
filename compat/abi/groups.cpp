#include "groups.h"

#include <bough/detail/dispatch.h>

#include <memory>
#include <new>

#include "current.h"
#include "tasks.h"

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
    detail::outer_group* const attached = n.attach(*made);
    if (attached == made.get())
        return made.release()->context;
    const context_group* others = context_group::of(attached);
    return others ? others->context : nullptr;
} catch (const std::bad_alloc&) {
    return nullptr;
}

BOUGH_NOINLINE task_group_context* context_of_loop(const detail::cancel_node* n) noexcept {
    if (const context_group* g = context_group::of(n->group.load(std::memory_order_acquire)))
        return g->context;
    return make_context(*n);
}

inline task_group_context* context_of(const detail::cancel_node* n) noexcept {
    if (!n)
        return nullptr;
    if (!contexts::is_of_context(*n))
        return context_of_loop(n);
    task_group_context& c = contexts::context_of(*n);
    return &c == &default_context() ? nullptr : &c;
}

}  // namespace

task_group_context* context_here() noexcept {
    return context_of(detail::here().scope);
}

}  // namespace bough::compat::abi
