#include "cluster/policies/performance_victim.h"

#include <limits>
#include <utility>

namespace bough::cluster {

performance_victim::performance_victim(int rank, int size, const parameters& with, const options& how)
    : rank_(rank), size_(size), with_(with), how_(how),
      known_(static_cast<std::size_t>(size), {with.initial_rate, 0, 0}),
      asked_at_(static_cast<std::size_t>(size), 0), timer_(with), pause_(with), next_to_ask_(size) {}

victim_policy::order performance_victim::next(time_ns now, bool hungry) {
    if (size_ == 1)
        return {};
    if (!std::exchange(started_, true))
        timer_.start(now);
    if (!hungry && !waits_) {
        stage_ = stage::fresh;
        pause_.fed();
    }
    if (next_to_ask_ < size_)
        return ask_next(now);
    if (!is_refreshing() && now >= timer_.due()) {
        begin_refresh(true);
        return ask_next(now);
    }
    return hungry && !waits_ ? hunt(now) : order{};
}

victim_policy::order performance_victim::hunt(time_ns now) {
    if (stage_ == stage::fresh && !pause_.is_over(now))
        return {};
    if (stage_ == stage::fresh && target_ == none) {
        if (!how_.asks_when_starved && !is_refreshing()) {
            give_up(now);
            return {};
        }
        stage_ = stage::wants_refresh;
    }
    if (stage_ == stage::wants_refresh) {
        stage_ = stage::refreshes;
        if (!is_refreshing()) {
            begin_refresh(false);
            return ask_next(now);
        }
    }
    if (stage_ == stage::refreshes)
        return {};
    tried_new_ = stage_ == stage::refreshed;
    stage_ = stage::fresh;
    if (target_ == none) {
        give_up(now);
        return {};
    }
    waits_ = true;
    return {order::verb::steal, target_};
}

void performance_victim::answered(int /*rank*/, bool with_tasks, time_ns now) {
    waits_ = false;
    if (with_tasks) {
        stage_ = stage::fresh;
        pause_.fed();
    } else if (how_.asks_when_starved && !tried_new_) {
        stage_ = stage::wants_refresh;
    } else {
        give_up(now);
    }
}

void performance_victim::give_up(time_ns now) {
    stage_ = stage::fresh;
    pause_.failed(now);
}

time_ns performance_victim::wake(bool hungry) const {
    if (size_ == 1)
        return never;
    const time_ns refresh = is_refreshing() ? never : timer_.due();
    const bool pauses = hungry && !waits_ && stage_ == stage::fresh;
    return std::min(refresh, pauses ? pause_.until() : never);
}

// ---- statistics

void performance_victim::begin_refresh(bool automatic) {
    automatic_ = automatic;
    missing_ = size_ - 1;
    next_to_ask_ = rank_ == 0 ? 1 : 0;
}

victim_policy::order performance_victim::ask_next(time_ns now) {
    const int asked = next_to_ask_++;
    if (next_to_ask_ == rank_)
        ++next_to_ask_;
    asked_at_[static_cast<std::size_t>(asked)] = now;
    return {order::verb::ask, asked};
}

void performance_victim::told(int rank, const statistics& of_rank, time_ns now) {
    known_rank& k = known_[static_cast<std::size_t>(rank)];
    k.rate = of_rank.rate;
    k.tasks = static_cast<double>(of_rank.tasks);
    k.delay =
        smoothed_delay(k.delay, now - asked_at_[static_cast<std::size_t>(rank)], of_rank.workers, with_);
    if (--missing_ == 0)
        end_refresh(now);
}

void performance_victim::end_refresh(time_ns now) {
    choose_target();
    if (automatic_)
        timer_.refreshed(how_.keeps_stale_target || target_ != none, now);
    if (stage_ == stage::refreshes)
        stage_ = stage::refreshed;
}

void performance_victim::choose_target() {
    double best = how_.keeps_stale_target ? std::numeric_limits<double>::min() : 0;
    if (!how_.keeps_stale_target)
        target_ = none;
    for (int r = 0; r < size_; ++r) {
        if (r == rank_)
            continue;
        const double score = how_.counts_tasks_only ? known(r).tasks : steal_score(known(r), with_);
        if (score > best) {
            best = score;
            target_ = r;
        }
    }
}

}  // namespace bough::cluster
