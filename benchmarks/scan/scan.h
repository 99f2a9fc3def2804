#pragma once
// Exclusive prefix sum as up-sweep and down-sweep: 2 log2(n) loops, each half or twice as long as the one before.
// The first up-sweep loop reads the input, so that a run can be repeated without a copy in between.

#include <cstdint>
#include <string>

#include "common/buffer.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/runtime.h"

namespace bench {

template <class Runtime>
class prefix_sum {
public:
    using value = std::int64_t;

    explicit prefix_sum(index n) : input_(n), work_(n) {
        for (index i = 0; i < n; ++i)
            input_[i] = static_cast<value>((i * 2654435761u) % 1000u) + 1;
    }

    void reset() { work_.fill(-1); }

    void run() {
        const value* const in = input_.data();
        value* const work = work_.data();
        const index n = work_.size();
        Runtime::parallel_for(0, n / 2, [=](index k) {
            work[2 * k] = in[2 * k];
            work[2 * k + 1] = in[2 * k] + in[2 * k + 1];
        });
        for (index width = 4; width <= n; width *= 2)
            up_sweep(work, n, width);
        work[n - 1] = 0;
        for (index width = n; width >= 2; width /= 2)
            down_sweep(work, n, width);
    }

    std::size_t first_wrong() const {
        value sum = 0;
        for (index i = 0; i < input_.size(); ++i) {
            if (work_[i] != sum)
                return i;
            sum += input_[i];
        }
        return none;
    }

private:
    static void up_sweep(value* work, index n, index width) {
        Runtime::parallel_for(0, n / width, [=](index k) {
            const index end = (k + 1) * width - 1;
            work[end] += work[end - width / 2];
        });
    }

    static void down_sweep(value* work, index n, index width) {
        Runtime::parallel_for(0, n / width, [=](index k) {
            const index end = (k + 1) * width - 1;
            const value left = work[end - width / 2];
            work[end - width / 2] = work[end];
            work[end] += left;
        });
    }

    buffer<value> input_, work_;
};

template <class Runtime>
void register_scan(const options& o) {
    const index largest = o.full ? index{1} << 20 : index{1} << 16;
    for (index n = 1024; n <= largest; n *= o.full ? 2 : 4)
        register_workload("scan/sweeps/" + std::to_string(n),
                          lazy<prefix_sum<Runtime>>([n] { return prefix_sum<Runtime>(n); }),
                          benchmark::kMicrosecond);
}

}  // namespace bench
