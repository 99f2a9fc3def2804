#pragma once
// How morsels become units of a loop: those of a morsel_range, and those that a morsel_partitioner makes of an index
// range of one, two or three dimensions. Any thread may ask, as a cut does not change.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../blocked_range.h"
#include "../morsel.h"
#include "loop_job.h"
#include "range_cut.h"

namespace bough::detail {

// What cuts whose units are morsels have in common. Cut::morsel(u) makes unit u.
template <class Cut>
class morsels_one_by_one {
public:
    template <class Deliver>
    void visit(delivery, unit first, unit last, Deliver&& deliver) const {
        for (unit u = first; u < last; ++u) {
            auto morsel = static_cast<const Cut*>(this)->morsel(u);
            if (!deliver(morsel))
                return;
        }
    }
};

// Units of a morsel_range are its morsels.
template <class Range>
class morsel_cut : public morsels_one_by_one<morsel_cut<Range>> {
public:
    morsel_cut(const Range& range, unit) : range_(range), units_(range.morsels()) {}
    unit units() const { return units_; }
    Range morsel(unit u) const { return range_.slice(range_.boundary(u), range_.boundary(u + 1)); }

private:
    const Range& range_;
    unit units_;
};

// One dimension of an index range. All pieces but the first begin at a multiple of `each`.
template <class Dimension>
class morsel_line {
public:
    using value = typename Dimension::const_iterator;
    static_assert(std::is_integral_v<value>, "bough: a morsel_partitioner cuts ranges of integers");
    static constexpr std::uint64_t whole = 0;  // for `each`: one piece

    morsel_line(const Dimension& range, std::uint64_t each)
        : begin_(range.begin()), end_(range.end()), grain_(range.grainsize()), each_(each) {
        if (range.empty())
            return;
        units_ = 1;
        if (each == whole)
            return;
        // The head holds the indices from begin to the next multiple of `each`. begin may be negative.
        const auto begin = static_cast<std::uint64_t>(begin_);
        const std::uint64_t past = begin_ < value{0} ? (each - (~begin + 1) % each) % each : begin % each;
        head_ = each - past;
        if (head_ < range.size())
            units_ = (range.size() - head_ - 1) / each + 2;
    }

    unit units() const { return units_; }
    value begin(unit u) const {
        const auto begin = static_cast<std::uint64_t>(begin_);
        return u == 0 ? begin_ : static_cast<value>(begin + head_ + (u - 1) * each_);
    }
    value end(unit u) const { return u + 1 == units_ ? end_ : begin(u + 1); }
    std::size_t grain() const { return grain_; }

private:
    value begin_;
    value end_;
    std::size_t grain_;
    std::uint64_t each_;
    std::uint64_t head_ = 0;
    unit units_ = 0;
};

// How many dimensions of a range a morsel_partitioner cuts; 0: it does not take the range. Specialised for other
// libraries' ranges that have the members and constructors of ours.
template <class Range>
inline constexpr int morsel_dimensions = 0;
template <class Value>
inline constexpr int morsel_dimensions<blocked_range<Value>> = 1;
template <class Row, class Col>
inline constexpr int morsel_dimensions<blocked_range2d<Row, Col>> = 2;
template <class Page, class Row, class Col>
inline constexpr int morsel_dimensions<blocked_range3d<Page, Row, Col>> = 3;

// Units of an index range: pieces of rows, or whole rows, or whole pages. They go along the last dimension first.
template <class Range, int Dimensions = morsel_dimensions<Range>>
class morsel_index_cut {
    static_assert(Dimensions != 0,
                  "bough: a morsel_partitioner cuts a blocked_range, blocked_range2d or blocked_range3d; a "
                  "morsel_range has morsels of its own, and goes with the other partitioners");
};

template <class Range>
class morsel_index_cut<Range, 1> : public morsels_one_by_one<morsel_index_cut<Range, 1>> {
public:
    morsel_index_cut(const Range& range, const morsel_partitioner& p)
        : line_(range, p.over(range.size()).iterations()) {}
    unit units() const { return line_.units(); }
    Range morsel(unit u) const { return Range(line_.begin(u), line_.end(u), line_.grain()); }

private:
    morsel_line<Range> line_;
};

// `each` of a dimension whose pieces have `each` indices, if they are fewer than all.
template <class Dimension>
std::uint64_t each_or_whole(const Dimension& range, std::uint64_t each) {
    return range.size() <= each ? morsel_line<Dimension>::whole : each;
}

template <class Range>
class morsel_index_cut<Range, 2> : public morsels_one_by_one<morsel_index_cut<Range, 2>> {
public:
    morsel_index_cut(const Range& range, const morsel_partitioner& p)
        : morsels_(p.over(product(range.rows().size(), range.cols().size()))),
          rows_(range.rows(), morsels_.iterations(range.cols().size())),
          cols_(range.cols(), each_or_whole(range.cols(), morsels_.iterations())) {}
    unit units() const { return rows_.units() * cols_.units(); }
    Range morsel(unit u) const {
        const unit row = u / cols_.units(), col = u % cols_.units();
        return Range(rows_.begin(row), rows_.end(row), rows_.grain(), cols_.begin(col), cols_.end(col),
                     cols_.grain());
    }

private:
    morsel_partitioner morsels_;
    morsel_line<typename Range::row_range_type> rows_;
    morsel_line<typename Range::col_range_type> cols_;
};

template <class Range>
class morsel_index_cut<Range, 3> : public morsels_one_by_one<morsel_index_cut<Range, 3>> {
public:
    morsel_index_cut(const Range& range, const morsel_partitioner& p)
        : morsels_(p.over(product(range.pages().size(), product(range.rows().size(), range.cols().size())))),
          pages_(range.pages(), pages_per_morsel(range, morsels_)),
          rows_(range.rows(), each_or_whole(range.rows(), morsels_.iterations(range.cols().size()))),
          cols_(range.cols(), each_or_whole(range.cols(), morsels_.iterations())) {}
    unit units() const { return pages_.units() * rows_.units() * cols_.units(); }
    Range morsel(unit u) const {
        const unit line = u / cols_.units(), col = u % cols_.units();
        const unit page = line / rows_.units(), row = line % rows_.units();
        return Range(pages_.begin(page), pages_.end(page), pages_.grain(), rows_.begin(row), rows_.end(row),
                     rows_.grain(), cols_.begin(col), cols_.end(col), cols_.grain());
    }

private:
    static std::uint64_t pages_per_morsel(const Range& range, const morsel_partitioner& p) {
        const std::size_t width = range.cols().size(), rows = range.rows().size();
        return rows <= p.iterations(width) ? p.iterations(rows * width) : 1;
    }

    morsel_partitioner morsels_;
    morsel_line<typename Range::page_range_type> pages_;
    morsel_line<typename Range::row_range_type> rows_;
    morsel_line<typename Range::col_range_type> cols_;
};

}  // namespace bough::detail
