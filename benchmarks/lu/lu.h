#pragma once
// LU factorisation of a sparse matrix by blocks of 32 x 32. Blocks that stay empty, fill-in counted, are left out: so
// the steps hold uneven work. Each step factors its diagonal block, then its row and column of blocks, then the rest.

#include <cmath>
#include <string>
#include <vector>

#include "common/buffer.h"
#include "common/fork_join.h"
#include "common/measure.h"
#include "common/options.h"

namespace bench {

constexpr index lu_block = 32;

// Which of n x n blocks hold anything, at the start or by elimination: a band, and some more far from it.
class block_pattern {
public:
    explicit block_pattern(index n) : n_(n), filled_(n * n) {
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < n; ++j)
                filled_[i * n + j] = (i > j ? i - j : j - i) <= 1 || (i * 7 + j * 3) % 5 == 0;
        start_ = filled_;
        for (index k = 0; k < n; ++k)
            for (index i = k + 1; i < n; ++i)
                for (index j = k + 1; j < n; ++j)
                    if (has(i, k) && has(k, j))
                        filled_[i * n + j] = true;
    }

    index size() const { return n_; }
    bool has(index i, index j) const { return filled_[i * n_ + j]; }
    bool starts_with(index i, index j) const { return start_[i * n_ + j]; }

private:
    index n_;
    std::vector<bool> filled_, start_;
};

// Operations on blocks, by rows: d becomes its factors L \ U; r := L^-1 r; c := c U^-1; x := x - c r.
inline void factor_block(double* d) {
    constexpr index b = lu_block;
    for (index k = 0; k < b; ++k)
        for (index i = k + 1; i < b; ++i) {
            d[i * b + k] /= d[k * b + k];
            for (index j = k + 1; j < b; ++j)
                d[i * b + j] -= d[i * b + k] * d[k * b + j];
        }
}

inline void solve_row(const double* d, double* r) {
    constexpr index b = lu_block;
    for (index k = 0; k < b; ++k)
        for (index i = k + 1; i < b; ++i)
            for (index j = 0; j < b; ++j)
                r[i * b + j] -= d[i * b + k] * r[k * b + j];
}

inline void solve_column(const double* d, double* c) {
    constexpr index b = lu_block;
    for (index i = 0; i < b; ++i)
        for (index k = 0; k < b; ++k) {
            c[i * b + k] /= d[k * b + k];
            for (index j = k + 1; j < b; ++j)
                c[i * b + j] -= c[i * b + k] * d[k * b + j];
        }
}

inline void subtract_product(const double* c, const double* r, double* x) {
    constexpr index b = lu_block;
    for (index i = 0; i < b; ++i)
        for (index k = 0; k < b; ++k)
            for (index j = 0; j < b; ++j)
                x[i * b + j] -= c[i * b + k] * r[k * b + j];
}

template <class Runtime>
class factorisation {
public:
    explicit factorisation(index n) : pattern_(n / lu_block), input_(n * n), work_(n * n), expected_(n * n) {
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < n; ++j)
                if (pattern_.starts_with(i / lu_block, j / lu_block))
                    input_[place(i, j)] = element(i, j, n);
        eliminate(n);
    }

    void reset() { work_.fill(std::nan("")); }

    void run() {
        fork_root<Runtime>([this] {
            const index n = pattern_.size();
            fork_each<Runtime>(0, n, [=, this](index i) { copy_row(i); });
            for (index k = 0; k < n; ++k) {
                factor_block(block(k, k));
                Runtime::fork([=, this] { solve_rows(k); }, [=, this] { solve_columns(k); });
                fork_each<Runtime>(k + 1, n, [=, this](index i) { update_row(k, i); });
            }
        });
    }

    std::size_t first_wrong() const {
        for (index at = 0; at < work_.size(); ++at)
            if (!(std::abs(work_[at] - expected_[at]) <= 1e-9 * (1 + std::abs(expected_[at]))))
                return at;
        return none;
    }

private:
    // A dominant diagonal: no pivots are needed.
    static double element(index i, index j, index n) {
        return i == j ? static_cast<double>(4 * n) : static_cast<double>((i * 31 + j * 17) % 13) - 6.0;
    }

    // Blocks one after the other, each by rows.
    index place(index i, index j) const {
        return (i / lu_block * pattern_.size() + j / lu_block) * lu_block * lu_block +
               i % lu_block * lu_block + j % lu_block;
    }
    double* block(index i, index j) const { return &work_[place(i * lu_block, j * lu_block)]; }

    void copy_row(index i) const {
        const index row = pattern_.size() * lu_block * lu_block;
        for (index at = i * row; at < (i + 1) * row; ++at)
            work_[at] = input_[at];
    }
    void solve_rows(index k) const {
        fork_each<Runtime>(k + 1, pattern_.size(), [=, this](index j) {
            if (pattern_.has(k, j))
                solve_row(block(k, k), block(k, j));
        });
    }
    void solve_columns(index k) const {
        fork_each<Runtime>(k + 1, pattern_.size(), [=, this](index i) {
            if (pattern_.has(i, k))
                solve_column(block(k, k), block(i, k));
        });
    }
    void update_row(index k, index i) const {
        if (!pattern_.has(i, k))
            return;
        fork_each<Runtime>(k + 1, pattern_.size(), [=, this](index j) {
            if (pattern_.has(k, j))
                subtract_product(block(i, k), block(k, j), block(i, j));
        });
    }

    // The answer, by plain elimination of the whole matrix.
    void eliminate(index n) {
        for (index at = 0; at < n * n; ++at)
            expected_[at] = input_[at];
        for (index k = 0; k < n; ++k)
            for (index i = k + 1; i < n; ++i) {
                const double factor = expected_[place(i, k)] /= expected_[place(k, k)];
                for (index j = k + 1; factor != 0 && j < n; ++j)
                    expected_[place(i, j)] -= factor * expected_[place(k, j)];
            }
    }

    block_pattern pattern_;
    buffer<double> input_, work_, expected_;
};

template <class Runtime>
void register_lu(const options& o) {
    const index largest = o.full ? 1024 : o.papers ? 512 : 256;
    for (index n = o.papers ? largest : o.full ? 512 : 256; n <= largest; n *= 2)
        register_long_workload("lu/sparse/" + std::to_string(n),
                               lazy<factorisation<Runtime>>([n] { return factorisation<Runtime>(n); }));
}

}  // namespace bench
