#include "spmv/csr.h"

#include <algorithm>
#include <functional>

namespace bench {
namespace {

// splitmix64, by Sebastiano Vigna: a well mixed word of each number.
std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// count columns in ascending order, one at a random place in each count-th part of the row.
void fill_row(csr& m, std::size_t row, std::size_t count) {
    const std::size_t begin = m.row_begin[row];
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t low = k * m.columns / count;
        const std::size_t high = (k + 1) * m.columns / count;
        const std::uint64_t word = mix(row * 0x10001u + k);
        m.column[begin + k] = static_cast<std::uint32_t>(low + word % (high - low));
        m.value[begin + k] = static_cast<double>(word >> 60) - 7.5;
    }
}

csr make(std::size_t rows, const std::function<std::size_t(std::size_t)>& nonzeros) {
    csr m;
    m.rows = m.columns = rows;
    m.row_begin = buffer<std::uint64_t>(rows + 1);
    for (std::size_t i = 0; i < rows; ++i)
        m.row_begin[i + 1] = m.row_begin[i] + std::min(nonzeros(i), rows);
    m.column = buffer<std::uint32_t>(m.row_begin[rows]);
    m.value = buffer<double>(m.row_begin[rows]);
    for (std::size_t i = 0; i < rows; ++i)
        fill_row(m, i, m.row_begin[i + 1] - m.row_begin[i]);
    return m;
}

}  // namespace

csr balanced(std::size_t rows) {
    return make(rows, [](std::size_t) { return 16; });
}

csr triangle(std::size_t rows) {
    return make(rows, [rows](std::size_t i) { return 32 * (rows - i) / rows; });
}

csr hyperbolic(std::size_t rows) {
    return make(rows, [rows](std::size_t i) { return rows / (i + 1); });
}

}  // namespace bench
