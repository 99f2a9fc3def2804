#pragma once
// What the pipeline tests share: an input that counts, and a little work.

#include <gtest/gtest.h>

#include <oneapi/tbb/parallel_pipeline.h>

#include <atomic>
#include <memory>

namespace pipeline_test {

using tbb::filter_mode;
using tbb::flow_control;
using tbb::make_filter;

inline constexpr filter_mode all_modes[] = {filter_mode::parallel, filter_mode::serial_in_order,
                                            filter_mode::serial_out_of_order};

inline void work_a_little(int steps) {
    std::atomic<int> done{0};
    while (done.load(std::memory_order_relaxed) < steps)
        done.fetch_add(1, std::memory_order_relaxed);
}

// 0, 1 ... n-1, from any number of threads at once; it may be called after the end.
class counting_input {
public:
    explicit counting_input(int n) : n_(n) {}
    int operator()(flow_control& fc) const {
        const int i = next_->fetch_add(1);
        if (i >= n_)
            fc.stop();
        return i;
    }

private:
    int n_;
    std::shared_ptr<std::atomic<int>> next_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace pipeline_test
