#pragma once
// What the calling thread is executing of oneTBB's, and in which group.

#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/task_group.h>

namespace bough::compat::abi {

struct execution {
    tbb::detail::d1::task* task = nullptr;
};

inline constinit thread_local execution current;

// The context of what runs here: of a task, or of a loop of the core's, which gets one when somebody asks. Null outside of
// all, and without memory.
tbb::detail::d1::task_group_context* context_here() noexcept;

}  // namespace bough::compat::abi
