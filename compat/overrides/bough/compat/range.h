#pragma once
// oneTBB's ranges as bough sees them. blocked_range is cut by arithmetic, 2d and 3d as trees of bough's engine; every
// other range is the user's, may do anything when it is split, and is split once only, by fork and join.
// For the overrides only.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <bough/detail/morsel_cut.h>
#include <bough/detail/range_cut.h>
#include <bough/parallel_invoke.h>
#include <bough/partitioner.h>

#include "../../oneapi/tbb/blocked_range.h"
#include "../../oneapi/tbb/blocked_range2d.h"
#include "../../oneapi/tbb/blocked_range3d.h"
#include "options.h"

namespace bough::compat::detail {

template <class Value>
inline constexpr bool is_index = std::is_integral_v<decltype(std::declval<Value>() - std::declval<Value>())>;

struct onetbb_tags {
    using halves = tbb::split;
    using proportional = tbb::proportional_split;
};

}  // namespace bough::compat::detail

namespace bough::detail {

template <class Value>
struct index_range_traits<tbb::blocked_range<Value>> : std::bool_constant<compat::detail::is_index<Value>> {};

template <class Value>
struct split_tags<tbb::blocked_range<Value>> : compat::detail::onetbb_tags {};
template <class Row, class Col>
struct split_tags<tbb::blocked_range2d<Row, Col>> : compat::detail::onetbb_tags {};
template <class Page, class Row, class Col>
struct split_tags<tbb::blocked_range3d<Page, Row, Col>> : compat::detail::onetbb_tags {};

template <class Value>
inline constexpr int morsel_dimensions<tbb::blocked_range<Value>> = 1;
template <class Row, class Col>
inline constexpr int morsel_dimensions<tbb::blocked_range2d<Row, Col>> = 2;
template <class Page, class Row, class Col>
inline constexpr int morsel_dimensions<tbb::blocked_range3d<Page, Row, Col>> = 3;

}  // namespace bough::detail

namespace bough::compat::detail {

// Ranges that may be split as often as it suits: splitting them changes nothing else.
template <class Range>
inline constexpr bool is_pure = std::is_base_of_v<onetbb_tags, bough::detail::split_tags<Range>>;

// bough hands out const pieces; oneTBB's bodies may take theirs by plain reference.
template <class Range, class Body>
struct piece_body {
    const Body& body;
    void operator()(const Range& piece) const {
        Range own(piece);
        std::invoke(body, own);
    }
};

// --- the user's ranges ----------------------------------------------------------------------------------------------

// Pieces for a range that is cut before it is run: twice oneTBB's first four per thread, which it goes on to cut on
// demand and we do not.
inline std::size_t pieces_for(const bough::simple_partitioner&) {
    return std::numeric_limits<std::size_t>::max();
}
inline std::size_t pieces_for(const bough::static_partitioner&) {
    return bough::detail::concurrency();
}
template <class Other>
std::size_t pieces_for(const Other&) {
    refuse_morsels<Other>();
    return std::size_t{8} * bough::detail::concurrency();
}

// In proportion only for those partitioners that share the range out among threads.
template <class Native>
inline constexpr bool cuts_in_proportion =
    std::is_same_v<std::remove_const_t<Native>, bough::static_partitioner> ||
    std::is_same_v<std::remove_const_t<Native>, bough::affinity_partitioner>;

template <bool InProportion, class Range>
Range split_off(Range& range, std::size_t left, std::size_t right) {
    if constexpr (InProportion && std::is_constructible_v<Range, Range&, tbb::proportional_split&>) {
        tbb::proportional_split share(left, right);
        return Range(range, share);
    } else {
        return Range(range, tbb::split());
    }
}

template <bool InProportion, class Range, class Body>
void fork_for(Range& range, const Body& body, std::size_t pieces) {
    if (pieces < 2 || !range.is_divisible())
        return static_cast<void>(std::invoke(body, range));
    const std::size_t right = pieces / 2, left = pieces - right;
    Range rest = split_off<InProportion>(range, left, right);
    bough::parallel_invoke([&] { fork_for<InProportion>(range, body, left); },
                           [&] { fork_for<InProportion>(rest, body, right); });
}

// Where a reduction has another body for the right of two pieces: wherever the range is cut, or, as oneTBB, only where
// the left piece has not ended when the right one begins. Else the left one's body goes on.
enum class bodies { at_each_cut, where_stolen };

template <bool InProportion, bodies Bodies, class Range, class Body>
void fork_reduce(Range& range, Body& body, std::size_t pieces) {
    if (pieces < 2 || !range.is_divisible())
        return static_cast<void>(std::invoke(body, range));
    const std::size_t right = pieces / 2, left = pieces - right;
    Range rest = split_off<InProportion>(range, left, right);
    std::optional<Body> other;
    if constexpr (Bodies == bodies::at_each_cut)
        other.emplace(body, tbb::split());
    std::atomic<bool> left_ended{false};
    bough::parallel_invoke(
        [&] {
            fork_reduce<InProportion, Bodies>(range, body, left);
            left_ended.store(true, std::memory_order_release);
        },
        [&] {
            // acquire: pairs with the store above. What the left piece has added is seen by who goes on.
            if (!other && !left_ended.load(std::memory_order_acquire))
                other.emplace(body, tbb::split());
            fork_reduce<InProportion, Bodies>(rest, other ? *other : body, right);
        });
    if (other)
        body.join(*other);
}

}  // namespace bough::compat::detail
