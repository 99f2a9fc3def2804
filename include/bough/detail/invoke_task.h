#pragma once
// A task on the stack of the thread that waits for it. It calls a function that it does not own.

#include "task.h"

namespace bough::detail {

template <class F>
struct invoke_task : task {
    invoke_task(const F& function, task_group_state& state) : f(function) {
        group = &state;
        run = [](task& t, bool cancelled) {
            if (!cancelled)
                static_cast<invoke_task&>(t).f();
        };
    }
    const F& f;
};

}  // namespace bough::detail
