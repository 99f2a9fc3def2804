#pragma once
// Heat diffusion on a square with fixed borders: 100 Jacobi steps, each a loop over rows that reads what the one before
// wrote.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "common/buffer.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/runtime.h"

namespace bench {

template <class Runtime>
class diffusion {
public:
    explicit diffusion(index n) : n_(n), initial_(n * n), odd_(n * n), even_(n * n), expected_(n * n) {
        for (index at = 0; at < n * n; ++at)
            initial_[at] = expected_[at] = static_cast<double>(at * 7 % 17) / 16;
        buffer<double> before(n * n);
        for (unsigned s = 0; s < steps; ++s) {
            std::copy_n(expected_.data(), n * n, before.data());
            for (index i = 1; i + 1 < n; ++i)
                row(before.data(), expected_.data(), n, i);
        }
    }

    // The borders stay as they are.
    void reset() {
        for (const buffer<double>& grid : {std::cref(odd_), std::cref(even_)})
            for (index i = 0; i < n_; ++i)
                for (index j = 0; j < n_; ++j) {
                    const bool border = i == 0 || j == 0 || i + 1 == n_ || j + 1 == n_;
                    grid[i * n_ + j] = border ? initial_[i * n_ + j] : std::nan("");
                }
    }

    void run() {
        step(initial_.data(), odd_.data(), n_);
        for (unsigned s = 1; s < steps; ++s)
            if (s % 2 == 0)
                step(even_.data(), odd_.data(), n_);
            else
                step(odd_.data(), even_.data(), n_);
    }

    // Each value is made of the same four in the same order; the tolerance is for a compiler that fuses differently.
    std::size_t first_wrong() const {
        for (index at = 0; at < n_ * n_; ++at)
            if (!(std::abs(even_[at] - expected_[at]) <= 1e-12))
                return at;
        return none;
    }

private:
    static constexpr unsigned steps = 100;
    static_assert(steps % 2 == 0, "the last step writes to even_");

    static void row(const double* from, double* to, index n, index i) {
        const double *const above = from + (i - 1) * n, *const here = above + n, *const below = here + n;
        for (index j = 1; j + 1 < n; ++j)
            to[i * n + j] = (above[j] + below[j] + here[j - 1] + here[j + 1]) / 4;
    }

    static void step(const double* from, double* to, index n) {
        Runtime::parallel_for(1, n - 1, [=](index i) { row(from, to, n, i); });
    }

    index n_;
    buffer<double> initial_, odd_, even_, expected_;
};

template <class Runtime>
void register_heat(const options& o) {
    for (index n = 64; n <= (o.full ? 1024u : 256u); n *= o.full ? 2 : 4)
        register_workload("heat/jacobi/" + std::to_string(n),
                          lazy<diffusion<Runtime>>([n] { return diffusion<Runtime>(n); }),
                          benchmark::kMicrosecond);
}

}  // namespace bench
