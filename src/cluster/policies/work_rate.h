#pragma once
// Formula 3.1 of the paper: how busy a worker is, smoothed over its tasks. A locality's rate is the mean over its
// workers.

#include <cmath>

#include "cluster/parameters.h"

namespace bough::cluster {

class work_rate {
public:
    explicit work_rate(const parameters& with = {})
        : newest_(with.smoothing), offset_(with.log_offset), value_(with.initial_rate) {}

    // A task ran for `work`, after this worker had had none for `idle`.
    void task_ended(time_ns work, time_ns idle) {
        const double work_us = static_cast<double>(work) / 1e3;
        const double cycle_us = static_cast<double>(work + idle) / 1e3;
        const double share = cycle_us > 0 ? work_us / cycle_us : 0;  // a task shorter than the clock's step
        value_ = newest_ * std::log(offset_ + share) * std::log(offset_ + cycle_us) + (1 - newest_) * value_;
    }
    double value() const { return value_; }

private:
    double newest_;
    double offset_;
    double value_;
};

}  // namespace bough::cluster
