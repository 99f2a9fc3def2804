#pragma once
// When a rank asks all others again, by itself: seldom while there is somebody to steal from, often while there is not
// (section 3.4 of the paper). In the published code a comparison that always holds makes it seldom only.

#include <algorithm>

#include "cluster/parameters.h"

namespace bough::cluster {

class refresh_timer {
public:
    explicit refresh_timer(const parameters& with) : with_(with), wait_(with.refresh_first) {}

    void start(time_ns now) { due_ = now + wait_; }
    void refreshed(bool found_target, time_ns now) {
        wait_ = found_target ? std::min(wait_ + with_.refresh_longer, with_.refresh_cap)
                             : std::max(wait_ - with_.refresh_shorter, with_.refresh_floor);
        due_ = now + wait_;
    }
    time_ns due() const { return due_; }
    time_ns wait() const { return wait_; }

private:
    parameters with_;
    time_ns wait_;
    time_ns due_ = never;
};

}  // namespace bough::cluster
