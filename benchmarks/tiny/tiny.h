#pragma once
// y[i] += a * x[i] over 2 to 16384 elements: what a loop costs when its work is next to nothing.

#include <cstdint>
#include <string>

#include "common/buffer.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/runtime.h"

namespace bench {

template <class Runtime>
class axpy {
public:
    explicit axpy(index n) : x_(n), y_(n) {
        for (index i = 0; i < n; ++i)
            x_[i] = static_cast<double>(i % 7 + 1);
    }

    void reset() {
        y_.fill(0.0);
        runs_ = 0;
    }

    void run() {
        ++runs_;
        const double* const x = x_.data();
        double* const y = y_.data();
        Runtime::parallel_for(0, y_.size(), [=](index i) { y[i] += factor * x[i]; });
    }

    // Whole numbers far below 2^53: the sum is exact however often the loop ran.
    std::size_t first_wrong() const {
        for (index i = 0; i < y_.size(); ++i)
            if (y_[i] != static_cast<double>(runs_) * factor * x_[i])
                return i;
        return none;
    }

private:
    static constexpr double factor = 3.0;
    buffer<double> x_, y_;
    std::uint64_t runs_ = 0;
};

template <class Runtime>
void register_tiny(const options&) {
    for (index n = 2; n <= 16384; n *= 2)
        register_workload("tiny/axpy/" + std::to_string(n),
                          lazy<axpy<Runtime>>([n] { return axpy<Runtime>(n); }));
}

}  // namespace bench
