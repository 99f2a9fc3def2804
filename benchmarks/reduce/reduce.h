#pragma once
// Sum and maximum of doubles.

#include <cmath>
#include <string>

#include "common/buffer.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/runtime.h"

namespace bench {

template <class Runtime, class Op>
class reduction {
public:
    explicit reduction(index n) : x_(n) {
        for (index i = 0; i < n; ++i)
            x_[i] = static_cast<double>((i * 2654435761u) % 1000003u);
        x_[n - 1] = 1000003.0;  // the maximum, where a loop that ends early misses it
        for (index i = 0; i < n; ++i)
            expected_ = Op::apply(expected_, x_[i]);
    }

    void reset() { result_ = std::nan(""); }

    void run() {
        const double* const x = x_.data();
        result_ = Runtime::template parallel_reduce<Op>(0, x_.size(), [=](index i) { return x[i]; });
    }

    // Whole numbers: exact in any order.
    std::size_t first_wrong() const { return result_ == expected_ ? none : 0; }

private:
    buffer<double> x_;
    double expected_ = Op::identity;
    double result_ = 0;
};

template <class Runtime, class Op>
void register_reduction(const std::string& name, index n) {
    register_workload("reduce/" + name + "/" + std::to_string(n),
                      lazy<reduction<Runtime, Op>>([n] { return reduction<Runtime, Op>(n); }));
}

template <class Runtime>
void register_reduce(const options& o) {
    const index step = o.full ? 4 : 8;
    const index largest = o.full ? index{1} << 22 : index{1} << 18;
    for (index n = o.full ? 256 : 512; n <= largest; n *= step) {
        register_reduction<Runtime, plus>("sum", n);
        register_reduction<Runtime, maximum>("max", n);
    }
}

}  // namespace bench
