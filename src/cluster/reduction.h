#pragma once
// A value of each rank, merged up a binary tree into one that goes down to all. The merge must not mind the order,
// as the tree groups values by its own shape; it is called with values of lower ranks and of higher ones in no fixed
// order.

#include <functional>

#include "cluster/epoch_channel.h"
#include "cluster/operation.h"

namespace bough::cluster {

// Merges the second into the first.
using merge_function = std::function<void(bytes& into, const bytes& from)>;

class reduction final : public operation {
public:
    reduction(epoch_channel& channel, bytes mine, merge_function merge);

    void handle(message& m) override;
    time_ns act() override;
    bool is_over() const override { return over_; }
    bytes take() { return std::move(value_); }

private:
    void share();

    epoch_channel& channel_;
    bytes value_;
    merge_function merge_;
    int first_child_;
    int children_;
    int missing_;  // children that have not reported
    bool reported_ = false;
    bool over_ = false;
};

}  // namespace bough::cluster
