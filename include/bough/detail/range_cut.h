#pragma once
// Maps ranges to units and back. A cut numbers the smallest pieces of a range 0 .. units-1, in order. For any interval
// of these units it delivers the sub-range. Any thread may ask, as a cut does not change.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../blocked_range.h"
#include "../split.h"
#include "loop_job.h"

namespace bough::detail {

// merged: neighbouring units may reach the body as one range. single: each unit is a body call of its own.
enum class delivery { merged, single };

// Index ranges are cut by arithmetic, which is fast. A specialisation gives the same to another library's range if that
// is made of begin, end and grain size.
template <class Range>
struct index_range_traits : std::false_type {};

template <class Value>
struct index_range_traits<blocked_range<Value>> : std::true_type {};

// The tags of the range's splitting constructors. Specialised for other libraries' ranges.
template <class Range>
struct split_tags {
    using halves = split;
    using proportional = proportional_split;
};

template <class Value>
Value index_at(Value begin, std::uint64_t offset) {
    if constexpr (std::is_integral_v<Value>)
        return static_cast<Value>(static_cast<std::uint64_t>(begin) + offset);
    else
        return begin + static_cast<decltype(begin - begin)>(offset);
}

// Cuts an index range into even pieces, whose sizes differ by one at most. The cut holds its begin and grain by value:
// a helper would have to fetch the caller's range with one more cache line.
template <class Range>
class index_cut {
public:
    using range_type = Range;

    // As many units as grains, but at most `limit`.
    index_cut(const Range& range, unit limit) : begin_(range.begin()), grain_(range.grainsize()) {
        if (range.empty())
            return;
        const std::uint64_t size = range.size();
        const std::uint64_t grain = range.grainsize() ? range.grainsize() : 1;
        units_ = grain == 1 ? size : (size - 1) / grain + 1;
        if (limit < units_)
            units_ = limit;
        if (units_ != size) {
            each_ = size / units_;
            longer_ = size % units_;
        }
    }

    unit units() const { return units_; }

    template <class Deliver>
    void visit(delivery how, unit first, unit last, Deliver&& deliver) const {
        if (how == delivery::merged)
            return static_cast<void>(deliver_piece(first, last, deliver));
        for (unit u = first; u < last && deliver_piece(u, u + 1, deliver); ++u) {
        }
    }

private:
    std::uint64_t offset(unit u) const { return u * each_ + (u < longer_ ? u : longer_); }

    template <class Deliver>
    bool deliver_piece(unit first, unit last, Deliver& deliver) const {
        auto begin = index_at(begin_, offset(first)), end = index_at(begin_, offset(last));
        if constexpr (std::is_integral_v<decltype(begin)> && sizeof(begin) <= sizeof(void*)) {
            forget_origin(begin);
            forget_origin(end);
        }
        Range piece(begin, end, grain_);
        return deliver(piece);
    }

    typename Range::const_iterator begin_;
    std::size_t grain_;
    unit units_ = 0;
    std::uint64_t each_ = 1;    // the fewest indices in a unit
    std::uint64_t longer_ = 0;  // how many units, the first ones, have one more
};

// How many halvings lead to the leftmost, or rightmost, leaf; at most `most`. O(result) copies of the range.
template <class Range>
unsigned spine(Range& r, bool rightmost, unsigned most) {
    if (most == 0 || !r.is_divisible())
        return 0;
    Range right(r, typename split_tags<Range>::halves());
    return 1 + spine(rightmost ? right : r, rightmost, most - 1);
}

// How many levels the tree of halves has: the longer of both ways. An index range has all nodes on each of these
// levels, but perhaps not on the last.
template <class Range>
unsigned levels_of(const Range& range, unsigned most) {
    if (range.empty())
        return 0;
    Range left(range), right(range);
    const unsigned l = spine(left, false, most), r = spine(right, true, most);
    return l > r ? l : r;
}

// Cuts any splittable range. Units are the leaves of the tree that the range's splitting constructor makes. For each
// interval the cut splits a copy of the whole range again, down to that interval (O(depth) copies). So nothing is
// stored, and threads share only the original range.
template <class Range>
class tree_cut {
public:
    using range_type = Range;
    // A loop word has room for 2^12 - 1 pieces (src/share/loop_word.h).
    static constexpr unsigned max_depth = 12;

    tree_cut(const Range& range, unit limit) : range_(range) {
        if (range.empty())
            return;
        units_ = 1;
        if (limit == 1)
            return;
        units_ = unit{1} << levels_of(range, max_depth);
        if (limit < units_)
            units_ = limit;
    }

    unit units() const { return units_; }

    template <class Deliver>
    void visit(delivery how, unit first, unit last, Deliver&& deliver) const {
        Range whole(range_);
        descend(how, whole, 0, units_, first, last, deliver);
    }

private:
    using halves = typename split_tags<Range>::halves;

    template <class Deliver>
    static bool descend(delivery how, Range& node, unit lo, unit hi, unit first, unit last,
                        Deliver& deliver) {
        if (first <= lo && hi <= last && how == delivery::merged)
            return deliver(node);
        if (!node.is_divisible() || hi - lo == 1) {
            // A node that cannot be split belongs to its first leaf.
            return first > lo || lo >= last || deliver(node);
        }
        const unit mid = lo + (hi - lo) / 2;
        Range right = split_off(node, mid - lo, hi - mid);
        return (first >= mid || descend(how, node, lo, mid, first, last, deliver)) &&
               (mid >= last || descend(how, right, mid, hi, first, last, deliver));
    }

    static Range split_off(Range& node, unit left, unit right) {
        using proportional = typename split_tags<Range>::proportional;
        if constexpr (std::is_constructible_v<Range, Range&, proportional&>) {
            if (left != right) {
                proportional p(static_cast<std::size_t>(left), static_cast<std::size_t>(right));
                return Range(node, p);
            }
        }
        return Range(node, halves());
    }

    const Range& range_;
    unit units_ = 0;
};

template <class Range>
using cut_for = std::conditional_t<index_range_traits<Range>::value, index_cut<Range>, tree_cut<Range>>;

// A deliverer takes a range. It returns true if the cut shall go on with the next range.

// With simple_partitioner a body gets nothing that is still divisible. Leaves of a tree_cut may be divisible.
template <class Range, class Deliver>
bool deliver_indivisible(Range& r, Deliver& deliver) {
    if constexpr (!index_range_traits<Range>::value) {
        if (r.is_divisible()) {
            Range right(r, typename split_tags<Range>::halves());
            return deliver_indivisible(r, deliver) && deliver_indivisible(right, deliver);
        }
    }
    return deliver(r);
}

}  // namespace bough::detail
