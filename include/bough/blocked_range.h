#pragma once
// Half-open ranges of one, two, three or N dimensions, as in oneTBB. Ranges are plain values without locks.

#include <array>
#include <cassert>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "split.h"

namespace bough {

// [begin, end) of an integer, pointer or random-access iterator. A range larger than its grain can be split.
template <class Value>
class blocked_range {
public:
    using const_iterator = Value;
    using size_type = std::size_t;

    // grainsize >= 1. All members O(1).
    blocked_range(Value begin, Value end, size_type grainsize = 1)
        : begin_(begin), end_(end), grain_(grainsize) {
        assert(grainsize > 0 && "blocked_range: the grain size must be 1 or more");
    }
    blocked_range(blocked_range& r, split) : blocked_range(r, r.size() / 2) {}
    blocked_range(blocked_range& r, proportional_split& p) : blocked_range(r, right_part(r.size(), p)) {}

    const_iterator begin() const { return begin_; }
    const_iterator end() const { return end_; }
    size_type size() const {
        if (!(begin_ < end_))
            return 0;
        if constexpr (std::is_integral_v<Value>)  // the size may not fit into Value
            return static_cast<size_type>(end_) - static_cast<size_type>(begin_);
        else
            return static_cast<size_type>(end_ - begin_);
    }
    size_type grainsize() const { return grain_; }
    bool empty() const { return !(begin_ < end_); }
    bool is_divisible() const { return grain_ < size(); }

private:
    // Takes the last `count` elements of r.
    blocked_range(blocked_range& r, size_type count) : begin_(r.end_), end_(r.end_), grain_(r.grain_) {
        begin_ = advance(r.begin_, r.size() - count);
        r.end_ = begin_;
    }

    static Value advance(Value v, size_type n) {
        if constexpr (std::is_integral_v<Value>)
            return static_cast<Value>(static_cast<size_type>(v) + n);
        else
            return v + static_cast<decltype(v - v)>(n);
    }

    static size_type right_part(size_type size, const proportional_split& p) {
        const double share = static_cast<double>(p.right()) / static_cast<double>(p.left() + p.right());
        const auto part = static_cast<size_type>(static_cast<double>(size) * share + 0.5);
        return part < 1 ? 1 : part >= size ? size - 1 : part;
    }

    Value begin_;
    Value end_;
    size_type grain_;
};

namespace detail {
// The dimension to split is the one with the most grains.
template <class Value>
double grains(const blocked_range<Value>& r) {
    return static_cast<double>(r.size()) / static_cast<double>(r.grainsize());
}
}  // namespace detail

// A range of rows x cols.
template <class Row, class Col = Row>
class blocked_range2d {
public:
    using row_range_type = blocked_range<Row>;
    using col_range_type = blocked_range<Col>;

    blocked_range2d(Row row_begin, Row row_end, std::size_t row_grain, Col col_begin, Col col_end,
                    std::size_t col_grain)
        : rows_(row_begin, row_end, row_grain), cols_(col_begin, col_end, col_grain) {}
    blocked_range2d(Row row_begin, Row row_end, Col col_begin, Col col_end)
        : rows_(row_begin, row_end), cols_(col_begin, col_end) {}
    blocked_range2d(blocked_range2d& r, split tag) : rows_(r.rows_), cols_(r.cols_) { halve(r, tag); }
    blocked_range2d(blocked_range2d& r, proportional_split& p) : rows_(r.rows_), cols_(r.cols_) {
        halve(r, p);
    }

    const row_range_type& rows() const { return rows_; }
    const col_range_type& cols() const { return cols_; }
    bool empty() const { return rows_.empty() || cols_.empty(); }
    bool is_divisible() const { return rows_.is_divisible() || cols_.is_divisible(); }

private:
    template <class Tag>
    void halve(blocked_range2d& r, Tag& tag) {
        if (detail::grains(rows_) < detail::grains(cols_))
            cols_ = col_range_type(r.cols_, tag);
        else
            rows_ = row_range_type(r.rows_, tag);
    }

    row_range_type rows_;
    col_range_type cols_;
};

// A range of pages x rows x cols.
template <class Page, class Row = Page, class Col = Row>
class blocked_range3d {
public:
    using page_range_type = blocked_range<Page>;
    using row_range_type = blocked_range<Row>;
    using col_range_type = blocked_range<Col>;

    blocked_range3d(Page page_begin, Page page_end, Row row_begin, Row row_end, Col col_begin, Col col_end)
        : pages_(page_begin, page_end), rows_(row_begin, row_end), cols_(col_begin, col_end) {}
    blocked_range3d(Page page_begin, Page page_end, std::size_t page_grain, Row row_begin, Row row_end,
                    std::size_t row_grain, Col col_begin, Col col_end, std::size_t col_grain)
        : pages_(page_begin, page_end, page_grain), rows_(row_begin, row_end, row_grain),
          cols_(col_begin, col_end, col_grain) {}
    blocked_range3d(blocked_range3d& r, split tag) : pages_(r.pages_), rows_(r.rows_), cols_(r.cols_) {
        halve(r, tag);
    }
    blocked_range3d(blocked_range3d& r, proportional_split& p)
        : pages_(r.pages_), rows_(r.rows_), cols_(r.cols_) {
        halve(r, p);
    }

    const page_range_type& pages() const { return pages_; }
    const row_range_type& rows() const { return rows_; }
    const col_range_type& cols() const { return cols_; }
    bool empty() const { return pages_.empty() || rows_.empty() || cols_.empty(); }
    bool is_divisible() const {
        return pages_.is_divisible() || rows_.is_divisible() || cols_.is_divisible();
    }

private:
    template <class Tag>
    void halve(blocked_range3d& r, Tag& tag) {
        const double p = detail::grains(pages_), q = detail::grains(rows_), c = detail::grains(cols_);
        if (p >= q && p >= c)
            pages_ = page_range_type(r.pages_, tag);
        else if (q >= c)
            rows_ = row_range_type(r.rows_, tag);
        else
            cols_ = col_range_type(r.cols_, tag);
    }

    page_range_type pages_;
    row_range_type rows_;
    col_range_type cols_;
};

namespace detail {

template <class T, std::size_t>
using repeat = T;

template <class Value, class Dims>
class range_nd;

template <class Value, std::size_t... D>
class range_nd<Value, std::index_sequence<D...>> {
public:
    using value_type = Value;
    using dim_range_type = blocked_range<Value>;
    static constexpr unsigned ndims() { return sizeof...(D); }

    // One range per dimension: blocked_rangeNd<int, 2>({0, 10}, {0, 20, 5}).
    range_nd(const repeat<dim_range_type, D>&... dims) : dims_{dims...} {}
    range_nd(range_nd& r, split tag) : dims_(r.dims_) { halve(r, tag); }
    range_nd(range_nd& r, proportional_split& p) : dims_(r.dims_) { halve(r, p); }

    const dim_range_type& dim(unsigned d) const { return dims_[d]; }
    bool empty() const {
        for (const auto& d : dims_)
            if (d.empty())
                return true;
        return false;
    }
    bool is_divisible() const {
        for (const auto& d : dims_)
            if (d.is_divisible())
                return true;
        return false;
    }

private:
    template <class Tag>
    void halve(range_nd& r, Tag& tag) {
        unsigned widest = 0;
        for (unsigned d = 1; d < sizeof...(D); ++d)
            if (detail::grains(dims_[widest]) < detail::grains(dims_[d]))
                widest = d;
        dims_[widest] = dim_range_type(r.dims_[widest], tag);
    }

    std::array<dim_range_type, sizeof...(D)> dims_;
};

}  // namespace detail

// A range of N dimensions of one value type.
template <class Value, unsigned N>
using blocked_rangeNd = detail::range_nd<Value, std::make_index_sequence<N>>;

}  // namespace bough
