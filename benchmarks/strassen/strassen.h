#pragma once
// Matrix product after Strassen: seven products of half the size, forked at once; below 64 rows serial.

#include <memory>
#include <string>

#include "common/fork_join.h"
#include "common/matrices.h"
#include "common/measure.h"
#include "common/options.h"

namespace bench {

constexpr index strassen_grain = 64;  // some 50 us

// to = x + sign * y, where the left side may be one of the others.
inline void combine(matrix_part to, const_matrix_part x, double sign, const_matrix_part y, index n) {
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            to.row(i)[j] = x.row(i)[j] + sign * y.row(i)[j];
}

// A factor of one of the seven: quarter x, or x + sign * y. Quarters are counted 0 to 3 by rows.
struct strassen_factor {
    unsigned x, y;
    double sign;  // 0: x alone
};
struct strassen_product {
    strassen_factor left, right;
};
constexpr strassen_product strassen_products[7] = {
    {{0, 3, 1}, {0, 3, 1}}, {{2, 3, 1}, {0, 0, 0}},  {{0, 0, 0}, {1, 3, -1}}, {{3, 3, 0}, {2, 0, -1}},
    {{0, 1, 1}, {3, 3, 0}}, {{2, 0, -1}, {0, 1, 1}}, {{1, 3, -1}, {2, 3, 1}}};

inline const_matrix_part read(matrix_part p) {
    return {p.at, p.stride};
}

// The factor's values: a quarter itself, or a sum in `scratch`.
inline const_matrix_part value_of(const strassen_factor& f, const_matrix_part whole, double* scratch,
                                  index half) {
    const auto x = whole.quarter(half, f.x / 2, f.x % 2), y = whole.quarter(half, f.y / 2, f.y % 2);
    if (f.sign == 0)
        return x;
    combine({scratch, half}, x, f.sign, y, half);
    return {scratch, half};
}

// c from the seven products m, each of half x half.
inline void combine_products(matrix_part c, double* m, index half) {
    const auto at = [=](unsigned k) { return const_matrix_part{m + k * half * half, half}; };
    const auto c11 = c.quarter(half, 0, 0), c12 = c.quarter(half, 0, 1), c21 = c.quarter(half, 1, 0),
               c22 = c.quarter(half, 1, 1);
    combine(c11, at(0), 1, at(3), half);
    combine(c11, read(c11), -1, at(4), half);
    combine(c11, read(c11), 1, at(6), half);
    combine(c12, at(2), 1, at(4), half);
    combine(c21, at(1), 1, at(3), half);
    combine(c22, at(0), -1, at(1), half);
    combine(c22, read(c22), 1, at(2), half);
    combine(c22, read(c22), 1, at(5), half);
}

// c = a b.
template <class Runtime>
void multiply_strassen(matrix_part c, const_matrix_part a, const_matrix_part b, index n) {
    if (n <= strassen_grain) {
        for (index i = 0; i < n; ++i)
            std::fill_n(c.row(i), n, 0.0);
        add_product(c, a, b, n);
        return;
    }
    const index half = n / 2, quarter = half * half;
    // Seven products, and for each two sums.
    const std::unique_ptr<double[]> memory(new double[21 * quarter]);
    double* const m = memory.get();
    fork_each<Runtime>(0, 7, [=](index k) {
        double* const sums = m + (7 + 2 * k) * quarter;
        const strassen_product& p = strassen_products[k];
        multiply_strassen<Runtime>({m + k * quarter, half}, value_of(p.left, a, sums, half),
                                   value_of(p.right, b, sums + quarter, half), half);
    });
    combine_products(c, m, half);
}

template <class Runtime>
class strassen : public multiplying {
public:
    using multiplying::multiplying;

    void run() {
        fork_root<Runtime>([this] { multiply_strassen<Runtime>(c(), a(), b(), size()); });
    }
};

template <class Runtime>
void register_strassen(const options& o) {
    const index n = o.full ? 1024 : o.papers ? 512 : 256;
    register_long_workload("strassen/seven/" + std::to_string(n),
                           lazy<strassen<Runtime>>([n] { return strassen<Runtime>(n); }));
}

}  // namespace bench
