#pragma once
// The hungry workers of a rank as a policy sees them. Each one hunts by itself and pauses by itself, as each worker of
// YewPar does: a rank of 15 workers tries 15 times before all of it pauses. `Hunt` is the policy's own state of one
// hunt. Workers are alike and have no names: a policy is told only how many are hungry.

#include <algorithm>
#include <vector>

#include "cluster/policies/back_off.h"

namespace bough::cluster {

template <class Hunt>
class hungry_workers {
public:
    struct worker {
        back_off pause;
        Hunt hunt = {};
        int victim = none;  // of the steal that is on its way

        bool steals() const { return victim != none; }
        // A failed round ends its hunt.
        void give_up(time_ns now) {
            hunt = {};
            pause.failed(now);
        }
    };

    explicit hungry_workers(const parameters& with) : with_(with) {}

    // So many are hungry now. New ones have no pause. If there are fewer, local tasks fed those whose pause ends first:
    // they would have looked first. One whose steal is on its way stays until the answer.
    void are(unsigned hungry) {
        while (workers_.size() < hungry)
            workers_.push_back({back_off(with_)});
        while (workers_.size() > std::max<std::size_t>(hungry, on_the_way_))
            workers_.erase(first_to_look());
    }
    bool may_steal() const { return on_the_way_ < with_.steals_on_the_way; }
    void send(worker& w, int to) {
        w.victim = to;
        ++on_the_way_;
    }
    // The worker whose steal that rank has answered. Answers of one victim are alike, so any of its thieves will do.
    worker& answered_by(int rank) {
        const auto w = std::find_if(workers_.begin(), workers_.end(),
                                    [rank](const worker& one) { return one.victim == rank; });
        w->victim = none;
        --on_the_way_;
        return *w;
    }
    // It has a task and is no longer hungry.
    void fed(worker& w) { workers_.erase(workers_.begin() + (&w - workers_.data())); }

    // When the first pause of those ends that `Which` names.
    template <class Which>
    time_ns pause_end(Which&& which) const {
        time_ns end = never;
        if (may_steal())
            for (const worker& w : workers_)
                if (!w.steals() && which(w))
                    end = std::min(end, w.pause.until());
        return end;
    }
    auto begin() { return workers_.begin(); }
    auto end() { return workers_.end(); }

private:
    static constexpr int none = -1;

    // Of those without a steal on its way.
    auto first_to_look() {
        return std::min_element(workers_.begin(), workers_.end(), [](const worker& a, const worker& b) {
            return a.steals() != b.steals() ? b.steals() : a.pause.until() < b.pause.until();
        });
    }

    parameters with_;
    std::vector<worker> workers_;
    std::size_t on_the_way_ = 0;
};

}  // namespace bough::cluster
