// tbb::parallel_for on bough's engine. Stands in the include tree in the place of oneTBB's header of this name, under
// its guard; see compat/README.md. The original, with its function renamed, gives the concepts, the task types that
// other headers name, and the engine for what stays there: forms with a context, and indices that are no integers.

#ifndef __TBB_parallel_for_H
#if __cplusplus < 201703L  // bough needs C++17: older programs keep oneTBB's own

#include "bough_onetbb_parallel_for.h"

#else

#include "blocked_range.h"
#include "partitioner.h"
#include "profiling.h"
#include "task_group.h"

#define parallel_for onetbb_parallel_for
#include "bough_onetbb_parallel_for.h"
#undef parallel_for

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include <bough/parallel_for.h>

#include "../../bough/compat/options.h"
#include "../../bough/compat/range.h"

namespace bough::compat {
namespace detail {

template <class Range, class Body, class Native>
void run_for(const Range& range, const Body& body, Native& partitioner) {
    if constexpr (is_pure<Range>) {
        bough::parallel_for(range, piece_body<Range, Body>{body}, partitioner);
    } else if (!range.empty()) {
        Range whole(range);
        fork_for<cuts_in_proportion<Native>>(whole, body, pieces_for(partitioner));
    }
}

}  // namespace detail

// body(Range&) over pieces of range. Options: a partitioner, then a context.
template <typename Range, typename Body, typename... Options, detail::if_options<Options...> = 0>
__TBB_requires(tbb::detail::tbb_range<Range>&& tbb::detail::parallel_for_body<Body, Range>) void parallel_for(
    const Range& range, const Body& body, Options&&... options) {
    if constexpr (detail::has_context<Options...>())
        tbb::detail::d1::onetbb_parallel_for(range, body, options...);
    else
        detail::with_native(options..., [&](auto& native) { detail::run_for(range, body, native); });
}

// f(i) for first, first + 1, ... below last.
template <typename Index, typename Function, typename... Options, detail::if_options<Options...> = 0>
__TBB_requires(tbb::detail::parallel_for_index<Index>&& tbb::detail::parallel_for_function<
               Function, Index>) void parallel_for(Index first, Index last, const Function& f,
                                                   Options&&... options) {
    if constexpr (detail::has_context<Options...>() || !std::is_integral_v<Index>) {
        tbb::detail::d1::onetbb_parallel_for(first, last, f, options...);
    } else if (first < last) {
        const bough::blocked_range<Index> range(first, last);
        const bough::detail::each_index<Index, Function> body{f};
        detail::with_native(options..., [&](auto& native) { bough::parallel_for(range, body, native); });
    }
}

// f(i) for first, first + step, ... below last. Throws std::invalid_argument when step is not positive.
template <typename Index, typename Function, typename... Options, detail::if_options<Options...> = 0>
__TBB_requires(tbb::detail::parallel_for_index<Index>&& tbb::detail::parallel_for_function<
               Function, Index>) void parallel_for(Index first, Index last, Index step, const Function& f,
                                                   Options&&... options) {
    if constexpr (detail::has_context<Options...>() || !std::is_integral_v<Index>) {
        tbb::detail::d1::onetbb_parallel_for(first, last, step, f, options...);
    } else {
        if (!(Index{0} < step))
            bough::detail::refuse_step(static_cast<long long>(step));
        if (!(first < last))
            return;
        const auto distance = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
        const std::uint64_t count = (distance - 1) / static_cast<std::uint64_t>(step) + 1;
        const bough::blocked_range<std::uint64_t> range(0, count);
        const bough::detail::each_step<Index, Function> body{f, first, step};
        detail::with_native(options..., [&](auto& native) { bough::parallel_for(range, body, native); });
    }
}

}  // namespace bough::compat

namespace tbb {
namespace detail::d1 {
using bough::compat::parallel_for;
}
inline namespace v1 {
using detail::d1::parallel_for;
}
}  // namespace tbb

#endif
#endif
