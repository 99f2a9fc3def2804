#pragma once
// Puts a function at the end of an arena's enqueued stream, as a task on the heap. For task_arena::enqueue and
// this_task_arena::enqueue.

#include <memory>
#include <type_traits>
#include <utility>

#include "dispatch.h"
#include "task.h"

namespace bough::detail {

template <class F>
struct enqueued : task {
    template <class G>
    explicit enqueued(G&& g) : f(std::forward<G>(g)) {
        run = [](task& t, bool) noexcept {
            const std::unique_ptr<enqueued> self(&static_cast<enqueued&>(t));
            self->f();
        };
    }
    F f;
};

// Throws std::bad_alloc, and what copying f throws.
template <class F>
void enqueue(arena& a, F&& f) {
    auto fresh = std::make_unique<enqueued<std::decay_t<F>>>(std::forward<F>(f));
    post_in(a, *fresh, lane::enqueued);
    static_cast<void>(fresh.release());  // the task frees itself, and may have done so already
}

}  // namespace bough::detail
