// tbb::parallel_for_each on bough's engine. Stands in the include tree in the place of oneTBB's header of this name,
// under its guard; see compat/README.md. The original, with its function renamed, gives tbb::feeder, the concepts, the
// kinds of iterators, and the engine for the forms with a context.

#ifndef __TBB_parallel_for_each_H
#if __cplusplus < 201703L  // bough needs C++17: older programs keep oneTBB's own

#include "bough_onetbb_parallel_for_each.h"

#else

#include "parallel_for.h"
#include "task_group.h"

#define parallel_for_each onetbb_parallel_for_each
#include "bough_onetbb_parallel_for_each.h"
#undef parallel_for_each

#include <iterator>
#include <type_traits>
#include <utility>

#include <bough/parallel_for_each.h>

#include "../../bough/compat/options.h"

namespace bough::compat::detail {

struct on_bough {};  // in the place of a body's type

}  // namespace bough::compat::detail

// tbb::feeder can only be derived from by this template of oneTBB's: a specialization hands on to bough's feeder.
namespace tbb::detail::d2 {

template <typename Item>
class feeder_impl<bough::compat::detail::on_bough, Item> final : public d1::feeder<Item> {
public:
    explicit feeder_impl(bough::feeder<Item>& target) : target_(target) {}

private:
    void internal_add_copy(const Item& item) override {
        if constexpr (std::is_copy_constructible_v<Item>)
            target_.add(item);
        else
            __TBB_ASSERT(false, "an item that cannot be copied must be added as an rvalue");
    }
    void internal_add_move(Item&& item) override { target_.add(std::move(item)); }

    bough::feeder<Item>& target_;
};

}  // namespace tbb::detail::d2

namespace bough::detail {

template <class Item>
struct shown_feeder<tbb::detail::d1::feeder, Item> {
    using type = tbb::detail::d2::feeder_impl<compat::detail::on_bough, Item>;
};

}  // namespace bough::detail

namespace bough::compat {
namespace detail {

template <class Iterator, class Body>
void run_for_each(Iterator first, Iterator last, const Body& body) {
    bough::detail::for_each<onetbb::feeder, tbb::detail::d2::iterator_tag_dispatch<Iterator>>(first, last,
                                                                                              body, nullptr);
}

template <class Iterator, class Body>
void run_for_each(Iterator first, Iterator last, const Body& body,
                  tbb::detail::d1::task_group_context& context) {
    tbb::detail::d2::onetbb_parallel_for_each(first, last, body, context);
}

}  // namespace detail

// body(item) or body(item, tbb::feeder<Item>&) for every item of [first, last). A context may stand last. Six templates
// as oneTBB's: a program may take the address of each, which a parameter pack for the context makes ambiguous.
template <typename Iterator, typename Body>
__TBB_requires(std::input_iterator<Iterator>&& tbb::detail::d2::parallel_for_each_iterator_body<
               Body, Iterator>) void parallel_for_each(Iterator first, Iterator last, const Body& body) {
    detail::run_for_each(first, last, body);
}

template <typename Range, typename Body>
__TBB_requires(
    tbb::detail::container_based_sequence<Range, std::input_iterator_tag>&&
        tbb::detail::d2::parallel_for_each_range_body<Body, Range>) void parallel_for_each(Range& range,
                                                                                           const Body& body) {
    detail::run_for_each(std::begin(range), std::end(range), body);
}

template <typename Range, typename Body>
__TBB_requires(
    tbb::detail::container_based_sequence<Range, std::input_iterator_tag>&&
        tbb::detail::d2::parallel_for_each_range_body<Body, Range>) void parallel_for_each(const Range& range,
                                                                                           const Body& body) {
    detail::run_for_each(std::begin(range), std::end(range), body);
}

template <typename Iterator, typename Body>
__TBB_requires(std::input_iterator<Iterator>&& tbb::detail::d2::parallel_for_each_iterator_body<
               Body, Iterator>) void parallel_for_each(Iterator first, Iterator last, const Body& body,
                                                       tbb::detail::d1::task_group_context& context) {
    detail::run_for_each(first, last, body, context);
}

template <typename Range, typename Body>
__TBB_requires(tbb::detail::container_based_sequence<Range, std::input_iterator_tag>&&
                   tbb::detail::d2::parallel_for_each_range_body<
                       Body, Range>) void parallel_for_each(Range& range, const Body& body,
                                                            tbb::detail::d1::task_group_context& context) {
    detail::run_for_each(std::begin(range), std::end(range), body, context);
}

template <typename Range, typename Body>
__TBB_requires(tbb::detail::container_based_sequence<Range, std::input_iterator_tag>&&
                   tbb::detail::d2::parallel_for_each_range_body<
                       Body, Range>) void parallel_for_each(const Range& range, const Body& body,
                                                            tbb::detail::d1::task_group_context& context) {
    detail::run_for_each(std::begin(range), std::end(range), body, context);
}

}  // namespace bough::compat

namespace tbb {
namespace detail::d2 {
using bough::compat::parallel_for_each;
}
inline namespace v1 {
using detail::d2::parallel_for_each;
}
}  // namespace tbb

#endif
#endif
