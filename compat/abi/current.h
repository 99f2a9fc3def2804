#pragma once
// What the calling thread is executing of oneTBB's, and in which group.

#include <bough/detail/slot_view.h>

#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/task_group.h>

namespace bough::compat::abi {

// Kept where the core changes stacks with it. Null outside of all.
inline tbb::detail::d1::task* current_task() noexcept {
    return static_cast<tbb::detail::d1::task*>(detail::here().executing);
}

// The context of what runs here: of a task, or of a loop of the core's, which gets one when somebody asks. Null outside
// of all, and without memory.
tbb::detail::d1::task_group_context* context_here() noexcept;

}  // namespace bough::compat::abi
