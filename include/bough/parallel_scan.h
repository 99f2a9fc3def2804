#pragma once
// parallel_scan and parallel_deterministic_scan: running sums over a range, in oneTBB's forms. The join must be
// associative but need not commute. Blocks; thread-safe; may be nested. A body may wait until one other part has begun,
// if there are two threads; not for more parts: a short scan is handed to two threads only.
//
// Throws what parallel_for throws. Also throws std::bad_alloc halfway, if there is no memory for a body. If it is
// cancelled, it leaves out what has not begun, and returns. Then, and after an exception, the caller's body holds the
// sum of some first part of the range, and results behind that part may be missing.

#include <functional>
#include <type_traits>
#include <utility>

#include "context.h"
#include "detail/options.h"
#include "detail/scan_rounds.h"
#include "parallel_reduce.h"
#include "partitioner.h"

namespace bough {
namespace detail {

template <template <class> class Plan, class Range, class Body, class... Options>
void scan_over(const Range& range, Body& body, Options&... options) {
    with_options(
        [&](auto& partitioner, task_group_context* context) {
            using partitioner_type = std::remove_cv_t<std::remove_reference_t<decltype(partitioner)>>;
            static_assert(
                std::is_same_v<partitioner_type, auto_partitioner> ||
                    std::is_same_v<partitioner_type, simple_partitioner> ||
                    (std::is_same_v<partitioner_type, morsel_partitioner> &&
                     !Plan<partitioner_type>::deterministic),
                "bough: a scan takes an auto_partitioner or a simple_partitioner, and a parallel_scan "
                "a morsel_partitioner, too");
            scan_rounds<Range, Body, partitioner_type, Plan<partitioner_type>>(range, body, partitioner,
                                                                               context)
                .run();
        },
        options...);
}

// Makes a body of the functional form's arguments.
template <class Range, class Value, class Scan, class Join>
class functional_scan_body {
public:
    functional_scan_body(const Value& identity, const Scan& scan, const Join& join)
        : identity_(identity), scan_(scan), join_(join), value_(identity) {}
    template <class Split>
    functional_scan_body(functional_scan_body& other, Split)
        : functional_scan_body(other.identity_, other.scan_, other.join_) {}

    template <class Tag>
    void operator()(const Range& range, Tag) {
        value_ = std::invoke(scan_, range, std::move(value_), Tag::is_final_scan());
    }
    void reverse_join(functional_scan_body& left) {
        value_ = std::invoke(join_, std::as_const(left.value_), std::move(value_));
    }
    void assign(functional_scan_body& other) { value_ = std::move(other.value_); }
    Value&& result() { return std::move(value_); }

    // For scans in runs.
    using value_type = Value;
    Value identity() const { return identity_; }
    Value value() const { return value_; }
    void hold(Value v) { value_ = std::move(v); }
    Value joined(const Value& left, Value right) const { return std::invoke(join_, left, std::move(right)); }
    Value sum_of(const Range& range) const { return std::invoke(scan_, range, Value(identity_), false); }
    Value finish(const Range& range, Value from) const {
        return std::invoke(scan_, range, std::move(from), true);
    }

private:
    const Value& identity_;
    const Scan& scan_;
    const Join& join_;
    Value value_;
};

template <class Range, class Value, class Scan, class Join>
struct is_scanned_in_runs<functional_scan_body<Range, Value, Scan, Join>> : std::is_floating_point<Value> {};

}  // namespace detail

// Imperative. Body has Body(Body&, split), which may run at the same time as operator(); operator()(const Range&,
// pre_scan_tag), which accumulates; operator()(const Range&, final_scan_tag), which accumulates and writes results;
// reverse_join(Body& left); assign(Body&). Each part is scanned finally once, by a body that holds the sum of
// everything to the left of the part. Some parts are pre-scanned before. Afterwards `body` holds the sum of everything,
// as it was when the last part had been scanned finally. Options: an auto_partitioner, a simple_partitioner (pieces of
// at most a grain) or a morsel_partitioner (whose memory, if it has one, is not asked), then a task_group_context&.
template <class Range, class Body, class... Options,
          std::enable_if_t<(detail::is_option<Options> && ...), int> = 0>
void parallel_scan(const Range& range, Body& body, Options&&... options) {
    detail::scan_over<detail::free_scan>(range, body, options...);
}

// Functional: scan(range, sum, is_final) returns sum with the range's part added; reverse_join(left, right) joins two
// sums. identity is the neutral element. Returns the sum of everything; if it was cancelled, of some first part.
template <class Range, class Value, class Scan, class ReverseJoin, class... Options,
          std::enable_if_t<!detail::is_option<Scan>, int> = 0>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                    const ReverseJoin& reverse_join, Options&&... options) {
    detail::functional_scan_body<Range, Value, Scan, ReverseJoin> body(identity, scan, reverse_join);
    detail::scan_over<detail::free_scan>(range, body, options...);
    return body.result();
}

// As parallel_scan, and with the same bits whatever the threads do. The join need not be associative. Every part is
// scanned twice. The parts depend only on the range and the partitioner: there are about as many as a part has indices,
// or a part is of a grain (simple). The functional form scans floating-point values in runs of 64 to 128 indices, or of
// about a grain if a grain is larger. If calls cost much by themselves, a grain size keeps them few.
template <class Range, class Body, class... Options,
          std::enable_if_t<(detail::is_option<Options> && ...), int> = 0>
void parallel_deterministic_scan(const Range& range, Body& body, Options&&... options) {
    detail::scan_over<detail::deterministic_scan>(range, body, options...);
}

template <class Range, class Value, class Scan, class ReverseJoin, class... Options,
          std::enable_if_t<!detail::is_option<Scan>, int> = 0>
Value parallel_deterministic_scan(const Range& range, const Value& identity, const Scan& scan,
                                  const ReverseJoin& reverse_join, Options&&... options) {
    detail::functional_scan_body<Range, Value, Scan, ReverseJoin> body(identity, scan, reverse_join);
    detail::scan_over<detail::deterministic_scan>(range, body, options...);
    return body.result();
}

}  // namespace bough
