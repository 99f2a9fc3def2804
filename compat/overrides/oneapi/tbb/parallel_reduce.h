// tbb::parallel_reduce and parallel_deterministic_reduce on bough's engine. Stands in the include tree in the place of
// oneTBB's header of this name, under its guard; see compat/README.md. Forms with a context stay oneTBB's.

#ifndef __TBB_parallel_reduce_H
#if __cplusplus < 201703L  // bough needs C++17: older programs keep oneTBB's own

#include "bough_onetbb_parallel_reduce.h"

#else

#include "blocked_range.h"
#include "partitioner.h"
#include "profiling.h"
#include "task_group.h"

#define parallel_reduce onetbb_parallel_reduce
#define parallel_deterministic_reduce onetbb_parallel_deterministic_reduce
#include "bough_onetbb_parallel_reduce.h"
#undef parallel_deterministic_reduce
#undef parallel_reduce

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <bough/parallel_deterministic_reduce.h>
#include <bough/parallel_reduce.h>

#include "../../bough/compat/options.h"
#include "../../bough/compat/range.h"

namespace bough::compat {
namespace detail {

// A oneTBB body in bough's hands: the user's own at the root, one made by its splitting constructor elsewhere.
template <class Range, class Body>
class split_body {
public:
    explicit split_body(Body& root) : body_(&root) {}
    template <class Split>
    split_body(split_body& left, Split) : own_(std::in_place, *left.body_, tbb::split()), body_(&*own_) {}

    void operator()(const Range& piece) {
        Range own(piece);
        std::invoke(*body_, own);
    }
    void join(split_body& right) { body_->join(*right.body_); }

private:
    std::optional<Body> own_;
    Body* body_;
};

// The functional form as an imperative body.
template <class Range, class Value, class Function, class Reduction>
class lambda_body {
public:
    lambda_body(const Value& identity, const Function& function, const Reduction& reduction)
        : identity_(identity), function_(function), reduction_(reduction), value_(identity) {}
    lambda_body(lambda_body& left, tbb::split)
        : lambda_body(left.identity_, left.function_, left.reduction_) {}

    void operator()(Range& piece) { value_ = std::invoke(function_, piece, std::move(value_)); }
    void join(lambda_body& right) {
        value_ = std::invoke(reduction_, std::move(value_), std::move(right.value_));
    }
    Value&& result() { return std::move(value_); }

private:
    const Value& identity_;
    const Function& function_;
    const Reduction& reduction_;
    Value value_;
};

template <bodies Bodies, class Range, class Body, class Native>
void run_forked_reduce(const Range& range, Body& body, Native& partitioner) {
    if (range.empty())
        return;
    Range whole(range);
    fork_reduce<cuts_in_proportion<Native>, Bodies>(whole, body, pieces_for(partitioner));
}

template <class Range, class Body, class Native>
void run_reduce(const Range& range, Body& body, Native& partitioner) {
    if constexpr (is_pure<Range>) {
        split_body<Range, Body> root(body);
        bough::parallel_reduce(range, root, partitioner);
    } else {
        run_forked_reduce<bodies::where_stolen>(range, body, partitioner);
    }
}

// oneTBB's own tree, to the bit: halves down to the grain, or shares of the range in proportion to those of the
// threads.
template <class Range, class Body, class Native>
void run_deterministic_reduce(const Range& range, Body& body, Native& partitioner) {
    if constexpr (is_pure<Range>) {
        split_body<Range, Body> root(body);
        bough::parallel_deterministic_reduce(range, root, partitioner);
    } else {
        run_forked_reduce<bodies::at_each_cut>(range, body, partitioner);
    }
}

template <class Option>
inline constexpr bool is_deterministic_option =
    is_context<Option> || std::is_convertible_v<Option, const tbb::simple_partitioner&> ||
    std::is_convertible_v<Option, const tbb::static_partitioner&>;

template <class... Options>
using if_deterministic_options =
    std::enable_if_t<are_options<Options...> && (is_deterministic_option<Options> && ...), int>;

// As with_native(); but without a partitioner it is the simple one.
template <class... Options, class Go>
void with_deterministic(Go&& go, const Options&... options) {
    if constexpr (sizeof...(Options) == 0)
        with_native(tbb::simple_partitioner(), go);
    else
        with_native(options..., go);
}

}  // namespace detail

// Imperative: body(Range&) accumulates, Body(Body&, split) makes another, body.join(right) adds what lies to its right.
template <typename Range, typename Body, typename... Options, detail::if_options<Options...> = 0>
__TBB_requires(tbb::detail::tbb_range<Range>&& tbb::detail::parallel_reduce_body<
               Body, Range>) void parallel_reduce(const Range& range, Body& body, Options&&... options) {
    if constexpr (detail::has_context<Options...>())
        tbb::detail::d1::onetbb_parallel_reduce(range, body, options...);
    else
        detail::with_native(options..., [&](auto& native) { detail::run_reduce(range, body, native); });
}

// Functional: function(range, value) returns value with the range's part added; reduction(left, right) joins two.
template <typename Range, typename Value, typename Function, typename Reduction, typename... Options,
          detail::if_options<Options...> = 0>
__TBB_requires(tbb::detail::tbb_range<Range>&& tbb::detail::parallel_reduce_function<Function, Range, Value>&&
                   tbb::detail::parallel_reduce_combine<Reduction, Value>) Value
    parallel_reduce(const Range& range, const Value& identity, const Function& function,
                    const Reduction& reduction, Options&&... options) {
    if constexpr (detail::has_context<Options...>()) {
        return tbb::detail::d1::onetbb_parallel_reduce(range, identity, function, reduction, options...);
    } else {
        detail::lambda_body<Range, Value, Function, Reduction> body(identity, function, reduction);
        detail::with_native(options..., [&](auto& native) { detail::run_reduce(range, body, native); });
        return body.result();
    }
}

// The same, joined in a tree that depends on the range alone (simple_partitioner, the default), or on that and the
// number of threads (static_partitioner).
template <typename Range, typename Body, typename... Options,
          detail::if_deterministic_options<Options...> = 0>
__TBB_requires(tbb::detail::tbb_range<Range>&& tbb::detail::parallel_reduce_body<
               Body, Range>) void parallel_deterministic_reduce(const Range& range, Body& body,
                                                                Options&&... options) {
    if constexpr (detail::has_context<Options...>())
        tbb::detail::d1::onetbb_parallel_deterministic_reduce(range, body, options...);
    else
        detail::with_deterministic(
            [&](auto& native) { detail::run_deterministic_reduce(range, body, native); }, options...);
}

template <typename Range, typename Value, typename Function, typename Reduction, typename... Options,
          detail::if_deterministic_options<Options...> = 0>
__TBB_requires(tbb::detail::tbb_range<Range>&& tbb::detail::parallel_reduce_function<Function, Range, Value>&&
                   tbb::detail::parallel_reduce_combine<Reduction, Value>) Value
    parallel_deterministic_reduce(const Range& range, const Value& identity, const Function& function,
                                  const Reduction& reduction, Options&&... options) {
    if constexpr (detail::has_context<Options...>()) {
        return tbb::detail::d1::onetbb_parallel_deterministic_reduce(range, identity, function, reduction,
                                                                     options...);
    } else {
        detail::lambda_body<Range, Value, Function, Reduction> body(identity, function, reduction);
        detail::with_deterministic(
            [&](auto& native) { detail::run_deterministic_reduce(range, body, native); }, options...);
        return body.result();
    }
}

}  // namespace bough::compat

namespace tbb {
namespace detail::d1 {
using bough::compat::parallel_deterministic_reduce;
using bough::compat::parallel_reduce;
}  // namespace detail::d1
inline namespace v1 {
using detail::d1::parallel_deterministic_reduce;
using detail::d1::parallel_reduce;
}  // namespace v1
}  // namespace tbb

#endif
#endif
