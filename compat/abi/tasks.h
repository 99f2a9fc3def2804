#pragma once
// Running oneTBB's tasks.

#include <oneapi/tbb/detail/_task.h>

#include <bough/detail/cancel_node.h>

#include "current.h"
#include "layout.h"

namespace bough::compat::abi {

// Made when the library is loaded, as a thread that forks must not find it half made; never destroyed: tasks may run
// until the process ends.
extern tbb::detail::d1::task_group_context* const context_of_none;

// The group of tasks that were enqueued without one. Never cancelled.
inline tbb::detail::d1::task_group_context& default_context() {
    return *context_of_none;
}

// Makes the core's header of a task that is posted next.
tbb::detail::r1::task_accessor::header& prepare(tbb::detail::d1::task& t,
                                                tbb::detail::d1::task_group_context& context,
                                                tbb::detail::d1::slot_id spawned_in,
                                                tbb::detail::d1::slot_id affinity);

// What begins here belongs to no group, until the object's end.
class outside_of_groups {
public:
    outside_of_groups();
    ~outside_of_groups();
    outside_of_groups(const outside_of_groups&) = delete;
    outside_of_groups& operator=(const outside_of_groups&) = delete;

private:
    detail::slot_view* view_;
    void* outer_;
    const detail::cancel_node* outer_scope_;
};

}  // namespace bough::compat::abi
