#pragma once
// A merge sort whose passes are loops over the output: a piece finds by binary search which elements of two runs it
// merges. Cilksort's merges, without their forks.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "morsels/array.h"

namespace bench::morsels {

template <class Loop>
class merge_sort {
public:
    static constexpr const char* name = "merge_sort";
    static constexpr std::size_t usual_size = 1 << 18;  // numbers

    explicit merge_sort(std::size_t size)
        : given_(size), from_(size), to_(size), leaves_({runs(size), leaf * sizeof(number)}),
          passes_({size, sizeof(number)}) {
        number state = 1;
        for (number& x : given_)
            x = state = state * 1664525U + 1013904223U;
        expected_ = given_;
        std::sort(expected_.begin(), expected_.end());
    }
    void clear() { from_.assign(from_.size(), 0); }
    void run() {
        leaves_.over(line(0, runs(given_.size())), [this](const auto& r) { this->sort_leaves(r); });
        for (std::size_t run = leaf; run < given_.size(); run *= 2) {
            passes_.over(line(0, given_.size()), [this, run](const auto& r) { this->merge(run, r); });
            from_.swap(to_);
        }
    }
    bool is_right() const { return from_ == expected_; }

private:
    using number = std::uint32_t;
    static constexpr std::size_t leaf = 256;

    static std::size_t runs(std::size_t size) { return (size + leaf - 1) / leaf; }

    template <class Range>
    void sort_leaves(const Range& r) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
            const std::size_t first = i * leaf, last = std::min(first + leaf, given_.size());
            std::copy(given_.data() + first, given_.data() + last, from_.data() + first);
            std::sort(from_.data() + first, from_.data() + last);
        }
    }

    // Writes the piece [r.begin(), r.end()) of the output, whose runs have twice the length `run`.
    template <class Range>
    void merge(std::size_t run, const Range& r) {
        for (std::size_t i = r.begin(); i < r.end();) {
            const std::size_t first = i / (2 * run) * (2 * run);
            const std::size_t middle = std::min(first + run, from_.size());
            const std::size_t last = std::min(middle + run, from_.size());
            const std::size_t end = std::min(last, static_cast<std::size_t>(r.end()));
            merge_runs(first, middle, last, i, end);
            i = end;
        }
    }

    // to_[begin, end), of the merge of [first, middle) and [middle, last).
    void merge_runs(std::size_t first, std::size_t middle, std::size_t last, std::size_t begin,
                    std::size_t end) {
        const std::size_t before = begin - first;
        std::size_t a = first + left_among(first, middle, last, before);
        std::size_t b = middle + before - (a - first);
        for (std::size_t out = begin; out != end; ++out)
            to_[out] = b == last || (a != middle && from_[a] <= from_[b]) ? from_[a++] : from_[b++];
    }

    // How many of the first `count` elements of the merge are of its left run.
    std::size_t left_among(std::size_t first, std::size_t middle, std::size_t last, std::size_t count) const {
        const std::size_t in_right = last - middle;
        std::size_t low = count > in_right ? count - in_right : 0, high = std::min(count, middle - first);
        while (low < high) {
            const std::size_t left = (low + high) / 2;
            if (from_[first + left] <= from_[middle + count - left - 1])
                low = left + 1;
            else
                high = left;
        }
        return low;
    }

    array<number> given_, from_, to_, expected_;
    Loop leaves_, passes_;
};

}  // namespace bench::morsels
