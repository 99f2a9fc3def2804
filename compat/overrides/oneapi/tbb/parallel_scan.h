// tbb::parallel_scan on bough's engine. Stands in the include tree in the place of oneTBB's header of this name, under
// its guard; see compat/README.md. The original, with its function renamed, gives the concepts, the tags, and the
// engine for user-written ranges: bough would split them more than once.

#ifndef __TBB_parallel_scan_H
#if __cplusplus < 201703L  // bough needs C++17: older programs keep oneTBB's own

#include "bough_onetbb_parallel_scan.h"

#else

#include "blocked_range.h"
#include "partitioner.h"
#include "profiling.h"
#include "task_group.h"

#define parallel_scan onetbb_parallel_scan
#include "bough_onetbb_parallel_scan.h"
#undef parallel_scan

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <bough/parallel_scan.h>

#include "../../bough/compat/options.h"
#include "../../bough/compat/range.h"

namespace bough::compat {
namespace detail {

template <class Tag>
using onetbb_scan_tag = std::conditional_t<Tag::is_final_scan(), tbb::final_scan_tag, tbb::pre_scan_tag>;

// A oneTBB body in bough's hands: the user's own at the root, one made by its splitting constructor elsewhere.
template <class Range, class Body>
class split_scan_body {
public:
    explicit split_scan_body(Body& root) : body_(&root) {}
    template <class Split>
    split_scan_body(split_scan_body& other, Split)
        : own_(std::in_place, *other.body_, tbb::split()), body_(&*own_) {}

    template <class Tag>
    void operator()(const Range& piece, Tag) {
        (*body_)(piece, onetbb_scan_tag<Tag>());
    }
    void reverse_join(split_scan_body& left) { body_->reverse_join(*left.body_); }
    void assign(split_scan_body& other) { body_->assign(*other.body_); }

private:
    std::optional<Body> own_;
    Body* body_;
};

// The functional form as an imperative body. The sum is moved into the scan where that takes it so.
template <class Range, class Value, class Scan, class ReverseJoin>
class lambda_scan_body {
public:
    lambda_scan_body(const Value& identity, const Scan& scan, const ReverseJoin& reverse_join)
        : identity_(identity), scan_(scan), reverse_join_(reverse_join), value_(identity) {}
    template <class Split>
    lambda_scan_body(lambda_scan_body& other, Split)
        : lambda_scan_body(other.identity_, other.scan_, other.reverse_join_) {}

    template <class Tag>
    void operator()(const Range& piece, Tag) {
        using tag = onetbb_scan_tag<Tag>;
        if constexpr (std::is_invocable_v<const Scan&, const Range&, Value&&, tag>)
            value_ = std::invoke(scan_, piece, std::move(value_), tag());
        else
            value_ = std::invoke(scan_, piece, value_, tag());
    }
    void reverse_join(lambda_scan_body& left) { value_ = std::invoke(reverse_join_, left.value_, value_); }
    void assign(lambda_scan_body& other) { value_ = other.value_; }
    Value&& result() { return std::move(value_); }

private:
    const Value& identity_;
    const Scan& scan_;
    const ReverseJoin& reverse_join_;
    Value value_;
};

template <class Option>
using if_scan_partitioner =
    std::enable_if_t<std::is_convertible_v<Option, const tbb::simple_partitioner&> ||
                         std::is_convertible_v<Option, const tbb::auto_partitioner&> ||
                         is_morsel_partitioner<Option>,
                     int>;

}  // namespace detail

// Imperative: body(piece, tag) accumulates, and writes results when the tag is final; body.reverse_join(left) puts
// before it what lies to the left; body.assign(other).
template <typename Range, typename Body, typename Partitioner, detail::if_scan_partitioner<Partitioner> = 0>
__TBB_requires(tbb::detail::tbb_range<Range>&& tbb::detail::parallel_scan_body<
               Body, Range>) void parallel_scan(const Range& range, Body& body,
                                                const Partitioner& partitioner) {
    if constexpr (detail::is_pure<Range>) {
        detail::split_scan_body<Range, Body> root(body);
        detail::with_native(partitioner, [&](auto& native) { bough::parallel_scan(range, root, native); });
    } else {
        detail::refuse_morsels<Partitioner>();
        tbb::detail::d1::onetbb_parallel_scan(range, body, partitioner);
    }
}

template <typename Range, typename Body>
__TBB_requires(tbb::detail::tbb_range<Range>&&
                   tbb::detail::parallel_scan_body<Body, Range>) void parallel_scan(const Range& range,
                                                                                    Body& body) {
    bough::compat::parallel_scan(range, body, __TBB_DEFAULT_PARTITIONER());
}

// Functional: scan(piece, sum, is_final) returns sum with the piece's part added; reverse_join(left, right) joins two.
template <typename Range, typename Value, typename Scan, typename ReverseJoin, typename Partitioner,
          detail::if_scan_partitioner<Partitioner> = 0>
__TBB_requires(tbb::detail::tbb_range<Range>&& tbb::detail::parallel_scan_function<Scan, Range, Value>&&
                   tbb::detail::parallel_scan_combine<ReverseJoin, Value>) Value
    parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                  const ReverseJoin& reverse_join, const Partitioner& partitioner) {
    if constexpr (detail::is_pure<Range>) {
        detail::lambda_scan_body<Range, Value, Scan, ReverseJoin> body(identity, scan, reverse_join);
        detail::with_native(partitioner, [&](auto& native) { bough::parallel_scan(range, body, native); });
        return body.result();
    } else {
        detail::refuse_morsels<Partitioner>();
        return tbb::detail::d1::onetbb_parallel_scan(range, identity, scan, reverse_join, partitioner);
    }
}

template <typename Range, typename Value, typename Scan, typename ReverseJoin>
__TBB_requires(tbb::detail::tbb_range<Range>&& tbb::detail::parallel_scan_function<Scan, Range, Value>&&
                   tbb::detail::parallel_scan_combine<ReverseJoin, Value>) Value
    parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                  const ReverseJoin& reverse_join) {
    return bough::compat::parallel_scan(range, identity, scan, reverse_join, __TBB_DEFAULT_PARTITIONER());
}

}  // namespace bough::compat

namespace tbb {
namespace detail::d1 {
using bough::compat::parallel_scan;
}
inline namespace v1 {
using detail::d1::parallel_scan;
}
}  // namespace tbb

#endif
#endif
