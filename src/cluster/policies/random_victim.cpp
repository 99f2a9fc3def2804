#include "cluster/policies/random_victim.h"

namespace bough::cluster {

victim_policy::order random_victim::next(time_ns now, unsigned hungry) {
    if (size_ == 1)
        return {};
    workers_.are(hungry);
    if (!workers_.may_steal())
        return {};
    for (auto& w : workers_) {
        if (w.steals() || !w.pause.is_over(now))
            continue;
        w.hunt = w.hunt == stage::fresh && last_ != none ? stage::tries_last : stage::tries_any;
        workers_.send(w, w.hunt == stage::tries_last ? last_ : any_other());
        return {order::verb::steal, w.victim};
    }
    return {};
}

void random_victim::answered(int rank, bool with_tasks, time_ns now) {
    auto& w = workers_.answered_by(rank);
    if (with_tasks) {
        last_ = keeps_last_ ? rank : none;
        workers_.fed(w);
        return;
    }
    if (last_ == rank)
        last_ = none;
    if (w.hunt != stage::tries_last)  // else at once, and without a pause, one at random
        w.give_up(now);
}

int random_victim::any_other() {
    const int other = static_cast<int>(random_.below(static_cast<std::uint32_t>(size_ - 1)));
    return other < rank_ ? other : other + 1;
}

}  // namespace bough::cluster
