#pragma once
// Matrix product with a loop over columns inside a loop over rows, both parallel. b is held by columns.

#include <cmath>
#include <string>

#include "common/buffer.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/runtime.h"

namespace bench {

template <class Runtime>
class matrix_product {
public:
    explicit matrix_product(index n) : n_(n), a_(n * n), b_(n * n), c_(n * n), expected_(n * n) {
        for (index i = 0; i < n * n; ++i) {
            a_[i] = static_cast<double>(i % 13) - 6.0;
            b_[i] = static_cast<double>(i % 11) - 5.0;
        }
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < n; ++j)
                for (index k = 0; k < n; ++k)
                    expected_[i * n + j] += a_[i * n + k] * b_[j * n + k];
    }

    void reset() { c_.fill(std::nan("")); }

    void run() {
        const double* const a = a_.data();
        const double* const b = b_.data();
        double* const c = c_.data();
        const index n = n_;
        Runtime::parallel_for(0, n, [=](index i) {
            Runtime::parallel_for(0, n, [=](index j) {
                double sum = 0;
                for (index k = 0; k < n; ++k)
                    sum += a[i * n + k] * b[j * n + k];
                c[i * n + j] = sum;
            });
        });
    }

    // Small whole numbers: exact.
    std::size_t first_wrong() const { return first_difference(c_, expected_); }

private:
    index n_;
    buffer<double> a_, b_, c_, expected_;
};

template <class Runtime>
void register_matmul(const options& o) {
    const index largest = o.full ? 512 : 256;
    for (index n = 64; n <= largest; n *= 2)
        register_workload("matmul/nested/" + std::to_string(n),
                          lazy<matrix_product<Runtime>>([n] { return matrix_product<Runtime>(n); }),
                          benchmark::kMicrosecond);
}

}  // namespace bench
