#include "cluster/reduction.h"

#include <algorithm>
#include <utility>

namespace bough::cluster {

reduction::reduction(epoch_channel& channel, bytes mine, merger& merges)
    : channel_(channel), value_(std::move(mine)), merges_(merges), first_child_(2 * channel.rank() + 1),
      children_(std::clamp(channel.size() - first_child_, 0, 2)), missing_(children_) {}

void reduction::handle(message& m) {
    if (auto* partial = std::get_if<partial_result>(&m.body)) {
        here_.push_back(std::move(partial->value));
        --missing_;
    } else if (auto* total = std::get_if<total_result>(&m.body)) {
        value_ = std::move(total->value);
        share();
    }
}

bool reduction::merge_what_is_here() {
    for (;;) {
        if (merging_) {
            auto merged = merges_.take_merged();
            if (!merged)
                return false;
            value_ = std::move(*merged);
            merging_ = false;
        }
        if (here_.empty())
            return true;
        merges_.begin_merge(std::move(value_), std::move(here_.front()));
        merging_ = true;
        here_.pop_front();
    }
}

time_ns reduction::act() {
    constexpr time_ns look_again = 100'000;  // as the agent's pause between two looks
    if (!merge_what_is_here())
        return channel_.now() + look_again;
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
