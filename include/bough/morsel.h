#pragma once
// Morsels: cache-sized pieces that begin and end on cache lines of their data, so that no two threads write one line.
// After the morsel-driven parallelism of "Low Latency Scheduling on Many-Core CPUs", 3.4.4.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "config.h"
#include "exports/morsels.h"
#include "partitioner.h"
#include "split.h"

namespace bough {

namespace detail {
constexpr std::size_t gcd(std::size_t a, std::size_t b) {
    return b == 0 ? a : gcd(b, a % b);
}

// a * b, or the largest number if that is more.
constexpr std::size_t product(std::size_t a, std::size_t b) {
    return b != 0 && a > ~std::size_t{0} / b ? ~std::size_t{0} : a * b;
}
}  // namespace detail

// Indices [first, last) of data[]. With any partitioner a body gets sub-ranges of whole morsels; a morsel is never
// split. The data need not be aligned: the first and the last morsel take the ends that do not fill a morsel.
// morsel_bytes 0: default_morsel_bytes() of the range's bytes.
template <class T>
class morsel_range {
public:
    using const_iterator = std::size_t;
    using size_type = std::size_t;

    morsel_range(T* data, std::size_t first, std::size_t last, std::size_t morsel_bytes = 0)
        : data_(data), first_(first), last_(last),
          morsel_bytes_(morsel_bytes ? morsel_bytes : default_morsel_bytes(size() * sizeof(T))) {}
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

// Cuts a blocked_range, blocked_range2d or blocked_range3d of integers into morsels, for parallel_for, parallel_reduce
// and parallel_scan. Each morsel is a body call of its own. A thread takes its own morsels in order. It takes other
// threads' morsels only when its own are done, nearest first. The range's grain sizes are not asked.
//
// One dimension: index i stands for the bytes from i * bytes_per_iteration on, of data that begins on a cache line.
// Two and three: the last dimension's indices lie side by side, and bytes_per_iteration is the size of one element. A
// morsel is a piece of one row, if the range's rows are longer than a morsel, or some whole rows, or some whole pages.
// No line is written by two threads if each row begins on a line. Nor is one if the range has the whole rows of data
// without gaps, and a morsel has room for the rows from one that begins on a line to the next, 64 at most. Else two
// morsels may share a line where they meet.
//
// morsel_bytes 0: default_morsel_bytes() of the bytes that the range stands for.
class morsel_partitioner {
public:
    explicit morsel_partitioner(std::size_t bytes_per_iteration, std::size_t morsel_bytes = 0)
        : bytes_(bytes_per_iteration ? bytes_per_iteration : 1), is_of_default_size_(morsel_bytes == 0),
          morsel_bytes_(morsel_bytes ? morsel_bytes : default_morsel_bytes()) {}
    // And gives each chunk of morsels to the thread that ran it in the last loop with the same `memory`, whose cache
    // and node have its data. `memory` must outlive the loops, and serves one at a time.
    morsel_partitioner(affinity_partitioner& memory, std::size_t bytes_per_iteration,
                       std::size_t morsel_bytes = 0)
        : morsel_partitioner(bytes_per_iteration, morsel_bytes) {
        map_ = &memory.map();
    }

    // Iterations in one morsel: the smallest number >= morsel_bytes / bytes_per_iteration that ends on a line. With
    // morsel_bytes 0 a loop over little data has fewer.
    std::size_t iterations() const { return whole_lines(bytes_); }

    // Of an outer dimension, where an iteration goes through `within` of the innermost one: as many as fit into a
    // morsel, and one at least. They end on a line, if a morsel reaches to one.
    std::size_t iterations(std::size_t within) const {
        if (within == 0 || within > morsel_bytes_ / bytes_)
            return 1;
        const std::size_t bytes = bytes_ * within, wanted = morsel_bytes_ / bytes;
        return wanted < to_a_line(bytes) ? wanted : whole_lines(bytes);
    }

    // For the library: this, for one loop over so many elements.
    morsel_partitioner over(std::size_t elements) const {
        morsel_partitioner its = *this;
        if (is_of_default_size_)
            its.morsel_bytes_ = default_morsel_bytes(detail::product(elements, bytes_));
        return its;
    }
    // For the library: null without a memory.
    detail::chunk_map* map() const { return map_; }

private:
    // Iterations between two line boundaries.
    static std::size_t to_a_line(std::size_t bytes) { return cache_line / detail::gcd(bytes, cache_line); }
    std::size_t whole_lines(std::size_t bytes) const {
        const std::size_t lines = to_a_line(bytes), wanted = morsel_bytes_ / bytes;
        return wanted < lines ? lines : (wanted + lines - 1) / lines * lines;
    }

    std::size_t bytes_;
    bool is_of_default_size_;
    std::size_t morsel_bytes_;
    detail::chunk_map* map_ = nullptr;
};

}  // namespace bough
