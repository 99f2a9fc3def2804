#include "cluster/policies/two_choices.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bough::cluster {

victim_policy::order two_choices::next(time_ns now, unsigned hungry) {
    if (size_ == 1)
        return {};
    workers_.are(hungry);
    for (worker& w : workers_) {
        if (w.hunt.still_to_ask != none)
            return {order::verb::ask, std::exchange(w.hunt.still_to_ask, none)};
        if (!workers_.may_steal())
            continue;
        if (w.steals() || w.hunt.missing > 0 || !w.pause.is_over(now))
            continue;
        if (!w.hunt.knows)
            return begin(w);
        if (w.hunt.most_tasks > 0) {
            workers_.send(w, w.hunt.richest);
            return {order::verb::steal, w.victim};
        }
        w.give_up(now);
    }
    return {};
}

victim_policy::order two_choices::begin(worker& w) {
    w.hunt.asked[0] = other_than(rank_);
    w.hunt.missing = 1;
    if (size_ > 2) {
        w.hunt.asked[1] = w.hunt.still_to_ask = other_than(w.hunt.asked[0]);
        w.hunt.missing = 2;
    }
    return {order::verb::ask, w.hunt.asked[0]};
}

void two_choices::told(int rank, const statistics& of_rank, time_ns /*now*/) {
    for (worker& w : workers_) {
        const auto asked = std::find(std::begin(w.hunt.asked), std::end(w.hunt.asked), rank);
        if (asked == std::end(w.hunt.asked))
            continue;
        *asked = none;
        if (of_rank.tasks > w.hunt.most_tasks) {
            w.hunt.most_tasks = of_rank.tasks;
            w.hunt.richest = rank;
        }
        w.hunt.knows = --w.hunt.missing == 0;
        return;
    }  // else the one that asked has been fed meanwhile
}

void two_choices::answered(int rank, bool with_tasks, time_ns now) {
    worker& w = workers_.answered_by(rank);
    if (with_tasks)
        workers_.fed(w);
    else
        w.give_up(now);
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
