#pragma once
// Sparse matrices by rows, and the three shapes made here. Deterministic: the same on every machine and in every run.

#include <cstdint>
#include <string>

#include "common/buffer.h"

namespace bench {

struct csr {
    std::size_t rows = 0;
    std::size_t columns = 0;
    buffer<std::uint64_t> row_begin;  // rows + 1
    buffer<std::uint32_t> column;
    buffer<double> value;
};

csr balanced(std::size_t rows);    // 16 nonzeros in each row
csr triangle(std::size_t rows);    // from 32 in the first row to none in the last, evenly falling
csr hyperbolic(std::size_t rows);  // rows / (i + 1) in row i: the first row is full

}  // namespace bench
