#pragma once
// Matrix product by quarters: two rounds of four forked products each, as in Cilk's examples; below 32 rows serial.

#include <string>

#include "common/fork_join.h"
#include "common/matrices.h"
#include "common/measure.h"
#include "common/options.h"

namespace bench {

constexpr index product_grain = 32;  // some 5 us

template <class Runtime>
void add_product_by_quarters(matrix_part c, const_matrix_part a, const_matrix_part b, index n) {
    if (n <= product_grain) {
        add_product(c, a, b, n);
        return;
    }
    const index half = n / 2;
    for (unsigned k = 0; k < 2; ++k)
        fork_each<Runtime>(0, 4, [=](index q) {
            const auto row = static_cast<unsigned>(q / 2), column = static_cast<unsigned>(q % 2);
            add_product_by_quarters<Runtime>(c.quarter(half, row, column), a.quarter(half, row, k),
                                             b.quarter(half, k, column), half);
        });
}

template <class Runtime>
class quartered_product : public multiplying {
public:
    using multiplying::multiplying;

    void run() {
        clear();
        fork_root<Runtime>([this] { add_product_by_quarters<Runtime>(c(), a(), b(), size()); });
    }
};

template <class Runtime>
void register_matmul_recursive(const options& o) {
    const index n = o.full ? 1024 : o.papers ? 512 : 256;
    register_long_workload("matmul_recursive/quarters/" + std::to_string(n),
                           lazy<quartered_product<Runtime>>([n] { return quartered_product<Runtime>(n); }));
}

}  // namespace bench
