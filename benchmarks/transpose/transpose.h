#pragma once
// Matrix transposition with a loop over columns inside a loop over rows, both parallel: nested loops of little work.

#include <cmath>
#include <string>

#include "common/buffer.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/runtime.h"

namespace bench {

template <class Runtime>
class transposition {
public:
    explicit transposition(index n) : n_(n), a_(n * n), b_(n * n) {
        for (index i = 0; i < n * n; ++i)
            a_[i] = static_cast<double>(i);
    }

    void reset() { b_.fill(std::nan("")); }

    void run() {
        const double* const a = a_.data();
        double* const b = b_.data();
        const index n = n_;
        Runtime::parallel_for(0, n, [=](index i) {
            Runtime::parallel_for(0, n, [=](index j) { b[j * n + i] = a[i * n + j]; });
        });
    }

    std::size_t first_wrong() const {
        for (index i = 0; i < n_; ++i)
            for (index j = 0; j < n_; ++j)
                if (b_[j * n_ + i] != a_[i * n_ + j])
                    return j * n_ + i;
        return none;
    }

private:
    index n_;
    buffer<double> a_, b_;
};

template <class Runtime>
void register_transpose(const options& o) {
    const index largest = o.full ? 2048 : 512;
    for (index n = 64; n <= largest; n *= 2)
        register_workload("transpose/nested/" + std::to_string(n),
                          lazy<transposition<Runtime>>([n] { return transposition<Runtime>(n); }),
                          benchmark::kMicrosecond);
}

}  // namespace bench
