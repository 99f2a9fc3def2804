#pragma once
// What the calling thread is executing of oneTBB's.

#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/task_group.h>

#include <cstdint>

namespace bough::compat::abi {

struct execution {
    tbb::detail::d1::task* task = nullptr;
    tbb::detail::d1::task_group_context* context = nullptr;  // null outside of every group
    std::uint64_t fp_settings = 0;                           // 0: the arena's
};

inline constinit thread_local execution current;

}  // namespace bough::compat::abi
