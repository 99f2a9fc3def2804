#pragma once
// The pause of a worker whose last round of steals failed: doubled after each round. A worker with a task has none.

#include <algorithm>

#include "cluster/parameters.h"

namespace bough::cluster {

class back_off {
public:
    explicit back_off(const parameters& with)
        : first_(with.back_off_first), cap_(with.back_off_cap), pause_(first_) {}

    void failed(time_ns now) {
        until_ = now + pause_;
        pause_ = std::min(2 * pause_, cap_);
    }
    bool is_over(time_ns now) const { return now >= until_; }
    time_ns until() const { return until_; }

private:
    time_ns first_;
    time_ns cap_;
    time_ns pause_;
    time_ns until_ = 0;
};

}  // namespace bough::cluster
