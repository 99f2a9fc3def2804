#include "cluster/policies/performance_victim.h"

#include <limits>
#include <utility>

namespace bough::cluster {

performance_victim::performance_victim(int rank, int size, std::uint64_t seed, const parameters& with,
                                       const options& how)
    : size_(size), with_(with), how_(how), known_(static_cast<std::size_t>(size), {with.initial_rate, 0, 0}),
      asked_at_(static_cast<std::size_t>(size), 0), timer_(with), workers_(with), random_(seed) {
    for (int r = 0; r < size; ++r)
        if (r != rank)
            others_.push_back(r);
    asks_ = next_to_ask_ = std::min(others_.size(), static_cast<std::size_t>(with.refresh_asks));
}

victim_policy::order performance_victim::next(time_ns now, unsigned hungry) {
    if (size_ == 1)
        return {};
    if (!std::exchange(started_, true))
        timer_.start(now);
    workers_.are(hungry);
    if (next_to_ask_ < asks_)
        return ask_next(now);
    if (!is_refreshing() && now >= timer_.due()) {
        begin_refresh(true);
        return ask_next(now);
    }
    return hunt(now);
}

victim_policy::order performance_victim::hunt(time_ns now) {
    for (worker& w : workers_) {
        if (!workers_.may_steal())
            return {};
        if (w.steals() || !w.pause.is_over(now))
            continue;
        const bool refreshed_before = is_refreshing();
        go_on(w, now);
        if (!refreshed_before && is_refreshing())
            return ask_next(now);
        if (w.steals())
            return {order::verb::steal, target_};
    }
    return {};
}

void performance_victim::go_on(worker& w, time_ns now) {
    if (w.hunt == stage::fresh && target_ == none) {
        if (!how_.asks_when_starved && !is_refreshing())
            return w.give_up(now);
        w.hunt = stage::wants_refresh;
    }
    if (w.hunt == stage::wants_refresh) {
        w.hunt = stage::refreshes;
        if (!is_refreshing())
            begin_refresh(false);
    }
    if (w.hunt == stage::refreshes)
        return;
    if (target_ == none)
        return w.give_up(now);
    if (w.hunt == stage::fresh)
        w.hunt = stage::tries_cached;
    workers_.send(w, target_);
}

void performance_victim::answered(int rank, bool with_tasks, time_ns now) {
    worker& w = workers_.answered_by(rank);
    if (with_tasks)
        workers_.fed(w);
    else if (how_.asks_when_starved && w.hunt == stage::tries_cached)
        w.hunt = stage::wants_refresh;
    else
        w.give_up(now);
}

time_ns performance_victim::wake(unsigned hungry) const {
    if (size_ == 1)
        return never;
    const time_ns refresh = is_refreshing() ? never : timer_.due();
    if (hungry == 0)
        return refresh;
    return std::min(refresh, workers_.pause_end([](const worker& w) { return w.hunt == stage::fresh; }));
}

// ---- statistics

void performance_victim::begin_refresh(bool automatic) {
    automatic_ = automatic;
    missing_ = asks_;
    next_to_ask_ = 0;
    if (asks_ < others_.size())
        draw_whom_to_ask();
}

void performance_victim::draw_whom_to_ask() {
    for (std::size_t i = 0; i < asks_; ++i)
        std::swap(others_[i], others_[i + random_.below(static_cast<std::uint32_t>(others_.size() - i))]);
}

victim_policy::order performance_victim::ask_next(time_ns now) {
    const int asked = others_[next_to_ask_++];
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
    for (worker& w : workers_)
        if (w.hunt == stage::refreshes)
            w.hunt = stage::refreshed;
}

void performance_victim::choose_target() {
    double best = how_.keeps_stale_target ? std::numeric_limits<double>::min() : 0;
    if (!how_.keeps_stale_target)
        target_ = none;
    for (std::size_t i = 0; i < asks_; ++i) {
        const int r = others_[i];
        const double score = how_.counts_tasks_only ? known(r).tasks : steal_score(known(r), with_);
        if (score > best) {
            best = score;
            target_ = r;
        }
    }
}

}  // namespace bough::cluster
