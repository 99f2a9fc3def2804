#pragma once
// Sparse matrix times vector, a row per index. All shapes and sizes share one call site: a runtime that remembers what
// a call site costs must cope with matrices of other shapes at the same place.

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "common/buffer.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/runtime.h"
#include "spmv/csr.h"
#include "spmv/matrix_market.h"

namespace bench {

template <class Runtime>
void multiply(const csr& m, const double* x, double* y) {
    const std::uint64_t* const row_begin = m.row_begin.data();
    const std::uint32_t* const column = m.column.data();
    const double* const value = m.value.data();
    Runtime::parallel_for(0, m.rows, [=](index i) {
        double sum = 0;
        for (std::uint64_t k = row_begin[i]; k < row_begin[i + 1]; ++k)
            sum += value[k] * x[column[k]];
        y[i] = sum;
    });
}

template <class Runtime>
class product {
public:
    explicit product(csr matrix) : m_(std::move(matrix)), x_(m_.columns), y_(m_.rows), expected_(m_.rows) {
        for (std::size_t i = 0; i < m_.columns; ++i)
            x_[i] = 1.0 + static_cast<double>(i % 17) / 16.0;
        for (std::size_t i = 0; i < m_.rows; ++i)
            for (std::uint64_t k = m_.row_begin[i]; k < m_.row_begin[i + 1]; ++k)
                expected_[i] += m_.value[k] * x_[m_.column[k]];
    }

    void reset() { y_.fill(std::nan("")); }
    void run() { multiply<Runtime>(m_, x_.data(), y_.data()); }

    // A row is summed in the same order on both sides; the tolerance is for a compiler that fuses differently.
    std::size_t first_wrong() const {
        for (std::size_t i = 0; i < m_.rows; ++i)
            if (!(std::abs(y_[i] - expected_[i]) <= 1e-9 * (1.0 + std::abs(expected_[i]))))
                return i;
        return none;
    }

private:
    csr m_;
    buffer<double> x_, y_, expected_;
};

template <class Runtime>
void register_shape(const std::string& shape, std::size_t rows, std::function<csr()> make) {
    register_workload("spmv/" + shape + "/" + std::to_string(rows),
                      lazy<product<Runtime>>([make = std::move(make)] { return product<Runtime>(make()); }),
                      benchmark::kMicrosecond);
}

template <class Runtime>
void register_spmv(const options& o) {
    const std::size_t largest = o.full ? 262144 : 16384;
    for (std::size_t rows = 256; rows <= largest; rows *= o.full ? 2 : 4) {
        register_shape<Runtime>("balanced", rows, [rows] { return balanced(rows); });
        register_shape<Runtime>("triangle", rows, [rows] { return triangle(rows); });
        register_shape<Runtime>("hyperbolic", rows, [rows] { return hyperbolic(rows); });
    }
    if (!o.matrix.empty()) {
        const matrix_market_header header = read_matrix_market_header(o.matrix);
        register_shape<Runtime>(matrix_case_name(o.matrix), header.rows,
                                [file = o.matrix] { return read_matrix_market(file); });
    }
}

}  // namespace bench
