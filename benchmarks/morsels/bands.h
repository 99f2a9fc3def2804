#pragma once
// Sweeps over one array that is larger than one core's L2 cache, and smaller than two: it pays to give each thread the
// band that it wrote in the sweep before.

#include <cstddef>

#include "morsels/array.h"

namespace bench::morsels {

template <class Loop>
class bands {
public:
    static constexpr const char* name = "bands";
    static constexpr std::size_t usual_size = 192 * 1024;  // numbers: 1.5 MiB

    explicit bands(std::size_t size) : x_(size), loop_({size, sizeof(double)}) {
        clear();
        for (int s = 0; s != sweeps; ++s)
            sweep(line(0, size));
        expected_ = x_;
        clear();
    }
    void clear() {
        for (std::size_t i = 0; i != x_.size(); ++i)
            x_[i] = static_cast<double>(i % 97);
    }
    void run() {
        for (int s = 0; s != sweeps; ++s)
            loop_.over(line(0, x_.size()), [this](const auto& r) { this->sweep(r); });
    }
    bool is_right() const { return x_ == expected_; }

private:
    static constexpr int sweeps = 8;

    template <class Range>
    void sweep(const Range& r) {
        double* const x = x_.data();
        for (std::size_t i = r.begin(); i != r.end(); ++i)
            x[i] = 0.75 * x[i] + 1;
    }

    array<double> x_, expected_;
    Loop loop_;
};

}  // namespace bench::morsels
