// tbb::parallel_sort on bough's engine. Stands in the include tree in the place of oneTBB's header of this name, under
// its guard; see compat/README.md. The original, with its function renamed, gives the concepts. Nothing stays with
// oneTBB: no form takes a context.

#ifndef __TBB_parallel_sort_H
#if __cplusplus < 201703L  // bough needs C++17: older programs keep oneTBB's own

#include "bough_onetbb_parallel_sort.h"

#else

#include "blocked_range.h"
#include "parallel_for.h"
#include "parallel_reduce.h"
#include "profiling.h"
#include "task_arena.h"
#include "task_group.h"

#define parallel_sort onetbb_parallel_sort
#include "bough_onetbb_parallel_sort.h"
#undef parallel_sort

#include <functional>
#include <iterator>

#include <bough/parallel_sort.h>

namespace bough::compat {

// Sorts [begin, end) by comp, in place; equal elements come in any order.
template <typename Iterator, typename Compare>
__TBB_requires(std::random_access_iterator<Iterator>&& tbb::detail::compare<Compare, Iterator>&& std::movable<
               tbb::detail::d1::iter_value_type<Iterator>>) void parallel_sort(Iterator begin, Iterator end,
                                                                               const Compare& comp) {
    bough::parallel_sort(begin, end, comp);
}

template <typename Iterator>
__TBB_requires(
    std::random_access_iterator<Iterator>&&
        tbb::detail::less_than_comparable<tbb::detail::d1::iter_value_type<Iterator>>&&
            std::movable<tbb::detail::d1::iter_value_type<Iterator>>) void parallel_sort(Iterator begin,
                                                                                         Iterator end) {
    bough::parallel_sort(begin, end);
}

template <typename Range, typename Compare>
__TBB_requires(
    tbb::detail::container_based_sequence<Range, std::random_access_iterator_tag>&&
        tbb::detail::compare<Compare, tbb::detail::range_iterator_type<Range>>&&
            std::movable<tbb::detail::d1::range_value_type<Range>>) void parallel_sort(Range&& range,
                                                                                       const Compare& comp) {
    bough::parallel_sort(std::begin(range), std::end(range), comp);
}

template <typename Range>
__TBB_requires(
    tbb::detail::container_based_sequence<Range, std::random_access_iterator_tag>&&
        tbb::detail::less_than_comparable<tbb::detail::d1::range_value_type<Range>>&&
            std::movable<tbb::detail::d1::range_value_type<Range>>) void parallel_sort(Range&& range) {
    bough::parallel_sort(std::begin(range), std::end(range));
}

}  // namespace bough::compat

namespace tbb {
namespace detail::d1 {
using bough::compat::parallel_sort;
}
inline namespace v1 {
using detail::d1::parallel_sort;
}
}  // namespace tbb

#endif
#endif
