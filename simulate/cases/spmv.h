#pragma once
// A sparse matrix times a vector, a row for each unit. The shape says how long the rows are.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime.h"

namespace spmv {

constexpr std::size_t rows = 4800, columns = 4800;

struct matrix {
    std::vector<std::size_t> row_begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
};

// The same numbers in each run, from 0 to below - 1.
class draws {
public:
    std::uint32_t below(std::uint32_t limit) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>((state_ >> 33) % limit);
    }

private:
    std::uint64_t state_ = 1;
};

template <class Length>
matrix make(const Length& length_of) {
    matrix m;
    draws drawn;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0, length = length_of(row, drawn); k < length; ++k) {
            // Near the diagonal, as in most matrices.
            m.column.push_back(static_cast<std::uint32_t>((row + drawn.below(256)) % columns));
            m.value.push_back(1 + drawn.below(16) / 16.0);
        }
        m.row_begin.push_back(m.column.size());
    }
    return m;
}

inline double product(const matrix& m, const std::vector<double>& x, std::size_t row) {
    double sum = 0;
    for (std::size_t k = m.row_begin[row]; k < m.row_begin[row + 1]; ++k)
        sum += m.value[k] * x[m.column[k]];
    return sum;
}

// length_of(row, draws): how many entries a row has.
template <class Length>
int run(int argc, char** argv, const Length& length_of) {
    const matrix m = make(length_of);
    std::vector<double> x(columns), y(rows), expected(rows);
    for (std::size_t i = 0; i < columns; ++i)
        x[i] = 1 + static_cast<double>(i % 17) / 16;
    for (std::size_t row = 0; row < rows; ++row)
        expected[row] = product(m, x, row);
    return runtime::each_way(argc, argv, [&](auto& way) {
        runtime::measure(
            way, runtime::rounds(15, 30),
            [&] { way.for_each(rows, [&](std::size_t row) { y[row] = product(m, x, row); }); },
            [&] { y.assign(rows, -1); }, [&] { return y == expected; });
    });
}

}  // namespace spmv
