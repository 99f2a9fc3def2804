#pragma once
// The product of two square matrices, over a plane of its elements. Each row of a piece is written once for each of the
// sums' terms.

#include <cstddef>

#include "morsels/array.h"

namespace bench::morsels {

template <class Loop>
class product {
public:
    static constexpr const char* name = "product";
    static constexpr std::size_t usual_size = 256;  // rows, and columns

    explicit product(std::size_t size)
        : size_(size), a_(size * size), b_(size * size), c_(size * size),
          loop_({size * size, sizeof(double)}) {
        for (std::size_t i = 0; i != a_.size(); ++i) {
            a_[i] = static_cast<double>(i % 11);
            b_[i] = static_cast<double>(i % 7);
        }
        multiply(all());
        expected_ = c_;
    }
    void clear() { c_.assign(c_.size(), -1); }
    void run() {
        loop_.over(all(), [this](const auto& r) { this->multiply(r); });
    }
    bool is_right() const { return c_ == expected_; }

private:
    plane all() const { return {0, size_, 0, size_}; }
    template <class Range>
    void multiply(const Range& r) {
        const std::size_t first = r.cols().begin(), last = r.cols().end();
        for (std::size_t row = r.rows().begin(); row != r.rows().end(); ++row) {
            double* const c = c_.data() + row * size_;
            for (std::size_t col = first; col != last; ++col)
                c[col] = 0;
            for (std::size_t k = 0; k != size_; ++k) {
                const double* const b = b_.data() + k * size_;
                const double a = a_[row * size_ + k];
                for (std::size_t col = first; col != last; ++col)
                    c[col] += a * b[col];
            }
        }
    }

    std::size_t size_;
    array<double> a_, b_, c_, expected_;
    Loop loop_;
};

}  // namespace bench::morsels
