#pragma once
// parallel_deterministic_reduce: the same joins in the same tree, and so the same bits, whatever the threads do. (With
// static_partitioner, which cuts by the number of threads, the bits are the same for the same number.) The join need
// not be associative, nor commute. Blocks; thread-safe; may be nested. Throws what parallel_reduce throws. If it is
// cancelled, it leaves out what has not begun, and the caller's body holds some of the sum.

#include <functional>
#include <type_traits>
#include <utility>

#include "detail/even_fold.h"
#include "detail/options.h"
#include "detail/tree_fold.h"
#include "parallel_reduce.h"
#include "partitioner.h"

namespace bough {
namespace detail {

template <class Range, class Partitioner>
inline constexpr bool is_cut_evenly =
    index_range_traits<Range>::value && std::is_same_v<Partitioner, auto_partitioner>;

template <class Range, class Body, class Partitioner>
using deterministic_job = std::conditional_t<is_cut_evenly<Range, Partitioner>, even_fold_job<Range, Body>,
                                             tree_fold_job<Range, Body, Partitioner>>;

template <class Partitioner>
inline constexpr bool makes_a_tree =
    std::is_same_v<Partitioner, auto_partitioner> || std::is_same_v<Partitioner, simple_partitioner> ||
    std::is_same_v<Partitioner, static_partitioner>;

}  // namespace detail

// Imperative: Body as for parallel_reduce. Each leaf but the first has a body of its own, which the splitting
// constructor makes. Options: a partitioner, then a task_group_context&. The partitioner makes the tree:
//   auto (default)  even leaves, about as many as a leaf has indices; for few costly indices simple is better
//   simple          halves down to the grain, as with oneTBB
//   static          one leaf per thread: the same bits only for the same number of threads
template <class Range, class Body, class... Options,
          std::enable_if_t<(detail::is_option<Options> && ...), int> = 0>
void parallel_deterministic_reduce(const Range& range, Body& body, Options&&... options) {
    detail::check_options<Options...>();
    detail::with_options(
        [&](auto& partitioner, task_group_context* context) {
            using partitioner_type = std::remove_cv_t<std::remove_reference_t<decltype(partitioner)>>;
            static_assert(detail::makes_a_tree<partitioner_type>,
                          "bough: a deterministic reduction takes an auto, simple or static_partitioner");
            detail::deterministic_job<Range, Body, partitioner_type> job(range, body, context);
            detail::run_loop(job);
            if (job.units != 0 && !job.node.is_stopped())
                job.finish();
        },
        options...);
}

// Functional: as parallel_reduce, but func starts with identity for each leaf. O(leaves) calls of reduction.
template <class Range, class Value, class Func, class Reduction, class... Options,
          std::enable_if_t<!detail::is_option<Func>, int> = 0>
Value parallel_deterministic_reduce(const Range& range, const Value& identity, const Func& func,
                                    const Reduction& reduction, Options&&... options) {
    detail::functional_body<Range, Value, Func, Reduction> body(identity, func, reduction);
    bough::parallel_deterministic_reduce(range, body, std::forward<Options>(options)...);
    return body.result();
}

}  // namespace bough
