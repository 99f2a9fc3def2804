#include "cluster/policies/random_victim.h"

namespace bough::cluster {

victim_policy::order random_victim::next(time_ns now, bool hungry) {
    if (!hungry && !waits_)
        pause_.fed();
    if (!hungry || waits_ || size_ == 1 || !pause_.is_over(now))
        return {};
    waits_ = true;
    return {order::verb::steal, last_ != none ? last_ : any_other()};
}

void random_victim::answered(int rank, bool with_tasks, time_ns now) {
    waits_ = false;
    if (with_tasks) {
        last_ = keeps_last_ ? rank : none;
        pause_.fed();
    } else if (last_ != none) {
        last_ = none;  // at once, and without a pause, one at random
    } else {
        pause_.failed(now);
    }
}

int random_victim::any_other() {
    const int other = static_cast<int>(random_.below(static_cast<std::uint32_t>(size_ - 1)));
    return other < rank_ ? other : other + 1;
}

}  // namespace bough::cluster
