#pragma once
// Morsels: cache-sized pieces that begin and end on cache lines of their data, so that no two threads write one line.
// After the morsel-driven parallelism of "Low Latency Scheduling on Many-Core CPUs", 3.4.4.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "blocked_range.h"
#include "config.h"
#include "detail/loop_job.h"
#include "exports/morsels.h"

namespace bough {

namespace detail {
constexpr std::size_t gcd(std::size_t a, std::size_t b) {
    return b == 0 ? a : gcd(b, a % b);
}
}  // namespace detail

// Indices [first, last) of data[]. With any partitioner a body gets sub-ranges of whole morsels; a morsel is never
// split. The data need not be aligned: the first and the last morsel take the ends that do not fill a morsel.
// morsel_bytes 0: default_morsel_bytes().
template <class T>
class morsel_range {
public:
    using const_iterator = std::size_t;
    using size_type = std::size_t;

    morsel_range(T* data, std::size_t first, std::size_t last, std::size_t morsel_bytes = 0)
        : data_(data), first_(first), last_(last),
          morsel_bytes_(morsel_bytes ? morsel_bytes : default_morsel_bytes()) {}
    morsel_range(morsel_range& r, split) : morsel_range(r) {
        const std::size_t middle = r.boundary(r.morsels() / 2);
        first_ = middle;
        r.last_ = middle;
    }

    T* data() const { return data_; }
    std::size_t begin() const { return first_; }
    std::size_t end() const { return last_; }
    std::size_t size() const { return first_ < last_ ? last_ - first_ : 0; }
    bool empty() const { return size() == 0; }
    bool is_divisible() const { return morsels() > 1; }

    // Number of morsels in [begin, end). O(1), as all members.
    std::size_t morsels() const {
        if (empty())
            return 0;
        const std::size_t head = first_on_line();
        return head >= last_ ? 1 : (last_ - head - 1) / per_morsel() + 1;
    }

    // First index of morsel k: begin() for 0, end() for morsels(). All other morsels begin on a cache line of the data.
    std::size_t boundary(std::size_t k) const {
        if (k == 0)
            return first_;
        const std::size_t head = first_on_line();
        if (head >= last_ || k >= (last_ - head - 1) / per_morsel() + 1)
            return last_;
        return head + k * per_morsel();
    }

    // The part [first, last) of this range, with the same morsel size.
    morsel_range slice(std::size_t first, std::size_t last) const {
        return morsel_range(data_, first, last, morsel_bytes_);
    }

private:
    // How many elements lie from one element that begins on a line to the next such element.
    static constexpr std::size_t period = cache_line / detail::gcd(sizeof(T), cache_line);

    std::size_t per_morsel() const {
        const std::size_t wanted = morsel_bytes_ / sizeof(T);
        return wanted < period ? period : (wanted + period - 1) / period * period;
    }

    // First index >= begin() whose element begins on a line. end() if there is none: then the range is one morsel.
    std::size_t first_on_line() const {
        for (std::size_t i = first_; i < last_ && i < first_ + period; ++i) {
            if ((reinterpret_cast<std::uintptr_t>(data_) + i * sizeof(T)) % cache_line == 0)
                return i;
        }
        return last_;
    }

    T* data_;
    std::size_t first_;
    std::size_t last_;
    std::size_t morsel_bytes_;
};

// Cuts a blocked_range into morsels. Index i stands for the bytes from i * bytes_per_iteration on, of data that begins
// on a cache line. A thread takes its own morsels in order. It takes other threads' morsels only when its own are done,
// nearest first.
class morsel_partitioner {
public:
    explicit morsel_partitioner(std::size_t bytes_per_iteration, std::size_t morsel_bytes = 0)
        : bytes_(bytes_per_iteration ? bytes_per_iteration : 1),
          morsel_bytes_(morsel_bytes ? morsel_bytes : default_morsel_bytes()) {}

    // Iterations in one morsel: the smallest number >= morsel_bytes / bytes_per_iteration that ends on a line.
    std::size_t iterations() const {
        const std::size_t lines =
            cache_line / detail::gcd(bytes_, cache_line);  // iterations between two line boundaries
        const std::size_t wanted = morsel_bytes_ / bytes_;
        return wanted < lines ? lines : (wanted + lines - 1) / lines * lines;
    }

private:
    std::size_t bytes_;
    std::size_t morsel_bytes_;
};

namespace detail {

// Units of a morsel_range are its morsels.
template <class Range>
class morsel_cut {
public:
    using range_type = Range;
    morsel_cut(const Range& range, unit) : range_(range), units_(range.morsels()) {}
    unit units() const { return units_; }

    template <class How, class Deliver>
    void visit(How, unit first, unit last, Deliver&& deliver) const {
        for (unit u = first; u < last; ++u) {
            Range morsel = range_.slice(range_.boundary(u), range_.boundary(u + 1));
            if (!deliver(morsel))
                return;
        }
    }

private:
    const Range& range_;
    unit units_;
};

// Units of a blocked_range under a morsel_partitioner: they begin at multiples of the morsel's iterations.
template <class Value>
class morsel_index_cut {
public:
    using range_type = blocked_range<Value>;
    static_assert(std::is_integral_v<Value>, "bough: a morsel_partitioner cuts ranges of integers");

    morsel_index_cut(const range_type& range, const morsel_partitioner& p)
        : range_(range), each_(p.iterations()) {
        if (range.empty())
            return;
        // The head holds the indices from begin to the next multiple of a morsel. begin may be negative.
        const auto begin = static_cast<std::uint64_t>(range.begin());
        const std::uint64_t past =
            range.begin() < Value{0} ? (each_ - (~begin + 1) % each_) % each_ : begin % each_;
        head_ = each_ - past;
        units_ = range.size() <= head_ ? 1 : (range.size() - head_ - 1) / each_ + 2;
    }

    unit units() const { return units_; }

    template <class How, class Deliver>
    void visit(How, unit first, unit last, Deliver&& deliver) const {
        for (unit u = first; u < last; ++u) {
            range_type morsel(boundary(u), boundary(u + 1), range_.grainsize());
            if (!deliver(morsel))
                return;
        }
    }

private:
    Value boundary(unit u) const {
        if (u == 0)
            return range_.begin();
        if (u == units_)
            return range_.end();
        return static_cast<Value>(static_cast<std::uint64_t>(range_.begin()) + head_ + (u - 1) * each_);
    }

    const range_type& range_;
    std::uint64_t each_;
    std::uint64_t head_ = 0;
    unit units_ = 0;
};

}  // namespace detail
}  // namespace bough
