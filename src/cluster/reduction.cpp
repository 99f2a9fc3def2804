#include "cluster/reduction.h"

#include <algorithm>
#include <utility>

namespace bough::cluster {

reduction::reduction(epoch_channel& channel, bytes mine, merge_function merge)
    : channel_(channel), value_(std::move(mine)), merge_(std::move(merge)),
      first_child_(2 * channel.rank() + 1), children_(std::clamp(channel.size() - first_child_, 0, 2)),
      missing_(children_) {}

void reduction::handle(message& m) {
    if (const auto* partial = std::get_if<partial_result>(&m.body)) {
        merge_(value_, partial->value);
        --missing_;
    } else if (auto* total = std::get_if<total_result>(&m.body)) {
        value_ = std::move(total->value);
        share();
    }
}

time_ns reduction::act() {
    if (missing_ > 0 || std::exchange(reported_, true))
        return never;
    if (channel_.rank() == 0)
        share();
    else
        channel_.send((channel_.rank() - 1) / 2, partial_result{std::move(value_)});
    return never;
}

void reduction::share() {
    for (int child = first_child_; child < first_child_ + children_; ++child)
        channel_.send(child, total_result{value_});
    over_ = true;
}

}  // namespace bough::cluster
