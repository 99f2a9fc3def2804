#pragma once
// parallel_for in all of oneTBB's forms. Blocks until every body call has returned. Thread-safe; may be nested as
// deeply as the stack allows. Source: hybrid-work-distribution, 2.
//
// Throws the first exception of a body, after the rest of the loop was cancelled, and the loop's context if there is
// one. Throws nesting_too_deep. Throws std::bad_alloc before a body is called if there is no memory for the thread's
// slot. A cancelled loop leaves out what has not begun, and returns.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "blocked_range.h"
#include "context.h"
#include "detail/loop_job.h"
#include "detail/options.h"
#include "detail/plan.h"
#include "detail/raise.h"
#include "partitioner.h"

namespace bough {
namespace detail {

template <class Range, class Body, class Partitioner>
struct for_job : loop_job {
    using plan = plan_for<Partitioner>;

    for_job(const Range& range, const Body& b, const Partitioner& p, task_group_context* ctx)
        : cut(range, plan::limit(p)), body(b) {
        run = [](loop_job& job, void*, unit first, unit last) {
            auto& self = static_cast<for_job&>(job);
            deliver_units<plan>(self.cut, first, last, self.node,
                                [&self](Range& piece) { self.body(piece); });
        };
        units = cut.units();
        site = &site_of<for_job>::value;
        context = ctx;
        mode = plan::mode;
    }

    cut_of<Range, Partitioner> cut;
    const Body& body;
};

template <class Range, class Body, class Partitioner>
void loop_over(const Range& range, const Body& body, Partitioner& p, task_group_context* ctx) {
    for_job<Range, Body, std::remove_const_t<Partitioner>> job(range, body, p, ctx);
    job.map = map_of(p);
    run_loop(job);
}

// Calls f(i) for each index of a piece.
template <class Index, class F>
struct each_index {
    const F& f;
    void operator()(const blocked_range<Index>& r) const {
        for (Index i = r.begin(), end = r.end(); i < end; ++i)
            f(i);
    }
};

// Calls f(first + k * step) for each k of a piece.
template <class Index, class F>
struct each_step {
    const F& f;
    Index first;
    Index step;
    void operator()(const blocked_range<std::uint64_t>& r) const {
        for (std::uint64_t k = r.begin(), end = r.end(); k < end; ++k)
            f(static_cast<Index>(static_cast<std::uint64_t>(first) + k * static_cast<std::uint64_t>(step)));
    }
};

[[noreturn]] inline BOUGH_COLD void refuse_step(long long step) {
    raise(std::invalid_argument("bough::parallel_for: step is " + std::to_string(step) +
                                "; allowed are 1 and more"));
}

template <class T>
using if_index = std::enable_if_t<std::is_integral_v<T>, int>;
template <class T>
using if_range = std::enable_if_t<!std::is_integral_v<T>, int>;

}  // namespace detail

// Calls body(const Range&) for pieces of range, concurrently. Each element of the range is in one piece. Several
// threads copy and split a Range that is not a blocked_range: its splitting must depend on the Range alone, and change
// nothing else. Options: a partitioner, then a task_group_context&.
template <class Range, class Body, class... Options, detail::if_range<Range> = 0>
void parallel_for(const Range& range, const Body& body, Options&&... options) {
    detail::check_options<Options...>();
    detail::with_options(
        [&](auto& partitioner, task_group_context* context) {
            detail::loop_over(range, body, partitioner, context);
        },
        options...);
}

// Calls f(i) for every i in [first, last), concurrently. Options as above.
template <class Index, class F, class... Options, detail::if_index<Index> = 0, detail::if_range<F> = 0>
void parallel_for(Index first, Index last, const F& f, Options&&... options) {
    if (first < last)
        bough::parallel_for(blocked_range<Index>(first, last), detail::each_index<Index, F>{f},
                            std::forward<Options>(options)...);
}

// Calls f(i) for i = first, first + step, ... below last, concurrently. Throws std::invalid_argument if step is not
// positive. Options as above.
template <class Index, class F, class... Options, detail::if_index<Index> = 0, detail::if_range<F> = 0>
void parallel_for(Index first, Index last, Index step, const F& f, Options&&... options) {
    if (!(Index{0} < step))
        detail::refuse_step(static_cast<long long>(step));
    if (first < last) {
        const auto distance = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
        const std::uint64_t count = (distance - 1) / static_cast<std::uint64_t>(step) + 1;
        bough::parallel_for(blocked_range<std::uint64_t>(0, count),
                            detail::each_step<Index, F>{f, first, step}, std::forward<Options>(options)...);
    }
}

}  // namespace bough
