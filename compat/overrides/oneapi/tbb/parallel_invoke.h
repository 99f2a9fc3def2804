// tbb::parallel_invoke on bough's engine. Stands in the include tree in the place of oneTBB's header of this name,
// under its guard; see compat/README.md. The form with a context stays oneTBB's.

#ifndef __TBB_parallel_invoke_H
#if __cplusplus < 201703L  // bough needs C++17: older programs keep oneTBB's own

#include "bough_onetbb_parallel_invoke.h"

#else

#include "profiling.h"
#include "task_group.h"

#define parallel_invoke onetbb_parallel_invoke
#include "bough_onetbb_parallel_invoke.h"
#undef parallel_invoke

#include <tuple>
#include <type_traits>
#include <utility>

#include <bough/parallel_invoke.h>

namespace bough::compat {

// Calls every function once, possibly in parallel. A tbb::task_group_context& may stand last.
template <typename... Functions>
void parallel_invoke(Functions&&... functions) {
    static_assert(sizeof...(Functions) >= 2, "parallel_invoke takes two functions or more");
    using last = std::tuple_element_t<sizeof...(Functions) - 1, std::tuple<Functions...>>;
    if constexpr (std::is_same_v<std::decay_t<last>, tbb::task_group_context>)
        tbb::detail::d1::onetbb_parallel_invoke(std::forward<Functions>(functions)...);
    else
        bough::parallel_invoke(std::as_const(functions)...);
}

}  // namespace bough::compat

namespace tbb {
namespace detail::d1 {
using bough::compat::parallel_invoke;
}
inline namespace v1 {
using detail::d1::parallel_invoke;
}
}  // namespace tbb

#endif
#endif
