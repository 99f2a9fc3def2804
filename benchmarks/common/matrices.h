#pragma once
// Square matrices of small whole numbers, for products that are exact in any order; and parts of them.

#include <cmath>

#include "common/buffer.h"
#include "common/measure.h"
#include "common/runtime.h"

namespace bench {

// n x n numbers inside of rows that are `stride` apart.
template <class T>
struct part {
    T* at;
    index stride;

    T* row(index i) const { return at + i * stride; }
    part quarter(index half, unsigned row, unsigned column) const {
        return {at + row * half * stride + column * half, stride};
    }
};
using matrix_part = part<double>;
using const_matrix_part = part<const double>;

// c += a b.
inline void add_product(matrix_part c, const_matrix_part a, const_matrix_part b, index n) {
    for (index i = 0; i < n; ++i)
        for (index k = 0; k < n; ++k) {
            const double factor = a.row(i)[k];
            const double* const from = b.row(k);
            double* const to = c.row(i);
            for (index j = 0; j < n; ++j)
                to[j] += factor * from[j];
        }
}

// A product c = a b of n x n numbers, checked against one that is computed serially.
class multiplying {
public:
    explicit multiplying(index n) : n_(n), a_(n * n), b_(n * n), c_(n * n), expected_(n * n) {
        for (index i = 0; i < n * n; ++i) {
            a_[i] = static_cast<double>(i % 13) - 6.0;
            b_[i] = static_cast<double>(i % 11) - 5.0;
        }
        add_product({expected_.data(), n}, a(), b(), n);
    }

    void reset() { c_.fill(std::nan("")); }
    // Small whole numbers: exact.
    std::size_t first_wrong() const { return first_difference(c_, expected_); }

protected:
    index size() const { return n_; }
    const_matrix_part a() const { return {a_.data(), n_}; }
    const_matrix_part b() const { return {b_.data(), n_}; }
    matrix_part c() const { return {c_.data(), n_}; }
    void clear() { c_.fill(0); }

private:
    index n_;
    buffer<double> a_, b_, c_, expected_;
};

}  // namespace bench
