#pragma once
// A task that owns its function and its memory.

#include <new>
#include <type_traits>
#include <utility>

#include "task.h"
#include "task_memory.h"

namespace bough::detail {

template <class F>
class function_task : public task {
public:
    // Throws std::bad_alloc, and what copying or moving the function throws.
    template <class G>
    static function_task& make(G&& function, task_group_state& group) {
        static_assert(alignof(function_task) <= cache_line,
                      "a task's function is aligned to 64 bytes at most");
        const pooled p = allocate_pooled(sizeof(function_task));
        try {
            return *new (p.memory) function_task(std::forward<G>(function), group, p.pool);
        } catch (...) {
            free_pooled(p, sizeof(function_task));
            throw;
        }
    }
    // For a task that is not spawned after all.
    static void destroy(function_task& t) noexcept {
        object_pool* const pool = t.pool_;
        t.~function_task();
        free_pooled({&t, pool}, sizeof(function_task));
    }

private:
    template <class G>
    function_task(G&& g, task_group_state& g_state, object_pool* pool)
        : pool_(pool), function_(std::forward<G>(g)) {
        group = &g_state;
        run = [](task& t, bool cancelled) {
            const owner self{static_cast<function_task&>(t)};
            if (!cancelled)
                self.t.function_();
        };
    }

    struct owner {
        function_task& t;
        ~owner() { destroy(t); }
    };

    object_pool* pool_;
    F function_;
};

}  // namespace bough::detail
