#pragma once
// What the pipeline tests share: an input that counts, and items that are counted.

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include <bough/parallel_pipeline.h>

#include "unit/api_support.h"

namespace bough_test {

using bough::filter;
using bough::filter_mode;
using bough::flow_control;
using bough::make_filter;
using bough::parallel_pipeline;

inline constexpr filter_mode all_modes[] = {filter_mode::parallel, filter_mode::serial_in_order,
                                            filter_mode::serial_out_of_order};

// Gives 0, 1 ... n-1 to any number of threads; once more after the end it says stop again.
class counter {
public:
    explicit counter(int n) : n_(n) {}
    int operator()(flow_control& control) const {
        const int i = next_->fetch_add(1);
        if (i >= n_)
            control.stop();
        return i;
    }
    int calls() const { return next_->load(); }

private:
    int n_;
    std::shared_ptr<std::atomic<int>> next_ = std::make_shared<std::atomic<int>>(0);
};

// Counts how many are alive, and notices a second destruction.
class counted {
public:
    explicit counted(int v) : value(v) { come(); }
    counted(const counted& o) : value(o.value) { come(); }
    ~counted() {
        EXPECT_EQ(std::exchange(mark_, 0), alive_mark) << "destroyed twice";
        --alive;
    }
    int value;
    long padding[8] = {};
    static inline std::atomic<int> alive{0}, most_alive{0};

private:
    void come() {
        const int now = ++alive;
        for (int most = most_alive; most < now && !most_alive.compare_exchange_weak(most, now);) {
        }
    }
    static constexpr unsigned alive_mark = 0xa11fe;
    unsigned mark_ = alive_mark;
};

}  // namespace bough_test
