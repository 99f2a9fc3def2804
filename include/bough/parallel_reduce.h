#pragma once
// parallel_reduce, functional and imperative, with oneTBB's contracts. Partial results are joined from left to right,
// so the join need not commute. Blocks; thread-safe; may be nested.
//
// Throws what parallel_for throws. Also throws std::bad_alloc halfway, if there is no memory for a partial result. If
// it is cancelled, it leaves out what has not begun, joins nothing, and returns. Then, and after an exception, the
// caller's body holds some of the sum.

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "blocked_range.h"
#include "context.h"
#include "detail/loop_job.h"
#include "detail/options.h"
#include "detail/plan.h"

namespace bough {
namespace detail {

// Partial results, each with the first unit of its interval. There is one for each interval that another thread took
// over, so there are few, and they are off the hot path.
template <class Partial>
class partials {
public:
    template <class... Args>
    Partial* add(unit first, Args&&... args) {
        auto fresh = std::make_unique<entry>(first, std::forward<Args>(args)...);
        Partial* partial = &fresh->partial;
        const std::lock_guard lock(mutex_);
        entries_.push_back(std::move(fresh));
        return partial;
    }

    // Calls join(partial) from left to right. Only to be called after the loop's join.
    template <class Join>
    void fold(Join&& join) {
        std::sort(entries_.begin(), entries_.end(),
                  [](const auto& a, const auto& b) { return a->first < b->first; });
        for (auto& e : entries_)
            join(e->partial);
    }

private:
    struct entry {
        template <class... Args>
        explicit entry(unit f, Args&&... args) : first(f), partial(std::forward<Args>(args)...) {}
        unit first;
        Partial partial;
    };
    std::mutex mutex_;
    std::vector<std::unique_ptr<entry>> entries_;
};

template <class Range, class Body, class Partitioner>
struct reduce_job : loop_job {
    using plan = plan_for<Partitioner>;

    reduce_job(const Range& range, Body& b, const Partitioner& p, task_group_context* ctx)
        : cut(range, plan::limit(p)), body(b) {
        run = [](loop_job& job, void* accumulator, unit first, unit last) {
            auto& self = static_cast<reduce_job&>(job);
            Body& mine = accumulator ? *static_cast<Body*>(accumulator) : self.body;
            deliver_units<plan>(self.cut, first, last, self.node, [&mine](Range& piece) { mine(piece); });
        };
        fork = [](loop_job& job, unit first) -> void* {
            auto& self = static_cast<reduce_job&>(job);
            return self.taken_over.add(first, self.body, typename split_tags<Range>::halves());
        };
        units = cut.units();
        site = &site_of<reduce_job>::value;
        context = ctx;
        mode = plan::mode;
    }

    cut_of<Range, Partitioner> cut;
    Body& body;
    partials<Body> taken_over;
};

template <class Range, class Body, class Partitioner>
void reduce_over(const Range& range, Body& body, Partitioner& p, task_group_context* ctx) {
    reduce_job<Range, Body, std::remove_const_t<Partitioner>> job(range, body, p, ctx);
    job.map = map_of(p);
    run_loop(job);
    if (!job.node.is_stopped())
        job.taken_over.fold([&body](Body& right) { body.join(right); });
}

// Makes a body of the functional form's arguments.
template <class Range, class Value, class Func, class Reduction>
class functional_body {
public:
    functional_body(const Value& identity, const Func& func, const Reduction& reduction)
        : identity_(identity), func_(func), reduction_(reduction), value_(identity) {}
    template <class Split>
    functional_body(functional_body& other, Split)
        : functional_body(other.identity_, other.func_, other.reduction_) {}

    void operator()(const Range& range) { value_ = std::invoke(func_, range, std::move(value_)); }
    void join(functional_body& right) {
        value_ = std::invoke(reduction_, std::move(value_), std::move(right.value_));
    }
    Value&& result() { return std::move(value_); }

private:
    const Value& identity_;
    const Func& func_;
    const Reduction& reduction_;
    Value value_;
};

template <class T>
inline constexpr bool is_option =
    is_partitioner<std::remove_cv_t<std::remove_reference_t<T>>> ||
    std::is_same_v<std::remove_cv_t<std::remove_reference_t<T>>, task_group_context>;

}  // namespace detail

// Imperative: Body has Body(Body&, split), which may run at the same time as operator(); operator()(const Range&),
// which accumulates; join(Body& right). Options: a partitioner, then a task_group_context&.
template <class Range, class Body, class... Options,
          std::enable_if_t<(detail::is_option<Options> && ...), int> = 0>
void parallel_reduce(const Range& range, Body& body, Options&&... options) {
    detail::check_options<Options...>();
    detail::with_options(
        [&](auto& partitioner, task_group_context* context) {
            detail::reduce_over(range, body, partitioner, context);
        },
        options...);
}

// Functional: func(range, value) returns value with the range's part added; reduction(left, right) joins two values.
// identity is the neutral element. Returns the result; if it was cancelled, identity with some of the parts added.
//
// reduction is called once for each interval that was handed off or stolen, or that came after a long piece that was
// cut up for other threads; or once for each chunk of an affinity_partitioner but the first. Balancing the loop decides
// how many intervals there are. There may be more than threads.
template <class Range, class Value, class Func, class Reduction, class... Options,
          std::enable_if_t<!detail::is_option<Func>, int> = 0>
Value parallel_reduce(const Range& range, const Value& identity, const Func& func, const Reduction& reduction,
                      Options&&... options) {
    detail::functional_body<Range, Value, Func, Reduction> body(identity, func, reduction);
    bough::parallel_reduce(range, body, std::forward<Options>(options)...);
    return body.result();
}

}  // namespace bough
