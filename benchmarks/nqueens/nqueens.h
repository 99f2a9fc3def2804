#pragma once
// All ways to place N queens on an N x N board, row by row; every placement a task.

#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "common/fork_join.h"
#include "common/measure.h"
#include "common/options.h"

namespace bench {

// Of the next row, which columns are attacked: by columns and by the two kinds of diagonals.
struct board {
    std::uint32_t columns = 0, left = 0, right = 0;
    board with(std::uint32_t queen) const {
        return {columns | queen, (left | queen) << 1, (right | queen) >> 1};
    }
};

constexpr unsigned largest_board = 16;

template <class Runtime>
std::uint64_t count_placements(const board& b, std::uint32_t all) {
    if (b.columns == all)
        return 1;
    std::array<std::uint32_t, largest_board> free;
    index n = 0;
    for (std::uint32_t left = all & ~(b.columns | b.left | b.right); left; left &= left - 1)
        free[n++] = left & (~left + 1);
    std::array<std::uint64_t, largest_board> counts{};
    fork_each<Runtime>(0, n, [&](index i) { counts[i] = count_placements<Runtime>(b.with(free[i]), all); });
    std::uint64_t sum = 0;
    for (index i = 0; i < n; ++i)
        sum += counts[i];
    return sum;
}

template <class Runtime>
class queens {
public:
    explicit queens(unsigned n) : n_(n) {}

    void reset() { result_ = 0; }
    void run() {
        fork_root<Runtime>([this] { result_ = count_placements<Runtime>(board{}, (1u << n_) - 1); });
    }
    std::size_t first_wrong() const { return result_ == published[n_] ? none : 0; }

private:
    // OEIS A000170.
    static constexpr std::array<std::uint64_t, 15> published = {1,  1,   0,   0,    2,     10,    4,     40,
                                                                92, 352, 724, 2680, 14200, 73712, 365596};
    unsigned n_;
    std::uint64_t result_ = 0;
};

template <class Runtime>
void register_nqueens(const options& o) {
    const unsigned largest = o.full ? 13 : o.papers ? 12 : 11;
    for (unsigned n = o.papers ? largest : o.full ? 11 : 10; n <= largest; ++n)
        register_long_workload("nqueens/all/" + std::to_string(n),
                               lazy<queens<Runtime>>([n] { return queens<Runtime>(n); }));
}

}  // namespace bench
