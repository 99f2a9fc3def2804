#include "cluster/policies/two_choices.h"

namespace bough::cluster {

victim_policy::order two_choices::next(time_ns now, bool hungry) {
    if (!hungry && (stage_ == stage::fresh || stage_ == stage::knows)) {
        stage_ = stage::fresh;
        pause_.fed();
    }
    switch (stage_) {
    case stage::fresh:
        if (!hungry || size_ == 1 || !pause_.is_over(now))
            return {};
        first_ = other_than(rank_);
        most_tasks_ = 0;
        missing_ = size_ > 2 ? 2 : 1;
        stage_ = size_ > 2 ? stage::asks_second : stage::waits_for_statistics;
        return {order::verb::ask, first_};
    case stage::asks_second:
        stage_ = stage::waits_for_statistics;
        return {order::verb::ask, other_than(first_)};
    case stage::knows:
        if (most_tasks_ == 0) {
            give_up(now);
            return {};
        }
        stage_ = stage::waits_for_tasks;
        return {order::verb::steal, richest_};
    default:
        return {};
    }
}

void two_choices::told(int rank, const statistics& of_rank, time_ns /*now*/) {
    if (of_rank.tasks > most_tasks_) {
        most_tasks_ = of_rank.tasks;
        richest_ = rank;
    }
    if (--missing_ == 0)
        stage_ = stage::knows;
}

void two_choices::answered(int /*rank*/, bool with_tasks, time_ns now) {
    if (!with_tasks)
        return give_up(now);
    stage_ = stage::fresh;
    pause_.fed();
}

void two_choices::give_up(time_ns now) {
    stage_ = stage::fresh;
    pause_.failed(now);
}

// Neither this rank nor that one.
int two_choices::other_than(int second) {
    for (;;) {
        const int r = static_cast<int>(random_.below(static_cast<std::uint32_t>(size_)));
        if (r != rank_ && r != second)
            return r;
    }
}

}  // namespace bough::cluster
