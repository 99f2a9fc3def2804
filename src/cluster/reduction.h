#pragma once
// A value of each rank, merged up a binary tree into one that goes down to all. The merge must not mind the order,
// as the tree groups values by its own shape; it is called with values of lower ranks and of higher ones in no fixed
// order.

#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "cluster/epoch_channel.h"
#include "cluster/operation.h"

namespace bough::cluster {

// Merges the second into the first.
using merge_function = std::function<void(bytes& into, const bytes& from)>;

// Who merges. A merge may take long elsewhere: the agent goes on meanwhile, and asks for the result.
class merger {
public:
    virtual ~merger() = default;
    // One merge at a time.
    virtual void begin_merge(bytes into, bytes from) = 0;
    // The merged value, once. None: it is not there yet. Throws what the merge has thrown.
    virtual std::optional<bytes> take_merged() = 0;
};

// Merges at once, in the agent's thread: for functions that take no time.
class merge_at_once : public merger {
public:
    explicit merge_at_once(merge_function merge) : merge_(std::move(merge)) {}
    void begin_merge(bytes into, bytes from) override {
        merge_(into, from);
        merged_ = std::move(into);
    }
    std::optional<bytes> take_merged() override { return std::exchange(merged_, std::nullopt); }

private:
    merge_function merge_;
    std::optional<bytes> merged_;
};

class reduction final : public operation {
public:
    reduction(epoch_channel& channel, bytes mine, merger& merges);

    void handle(message& m) override;
    time_ns act() override;
    bool is_over() const override { return over_; }
    bytes take() { return std::move(value_); }

private:
    // False: a merge is not done.
    bool merge_what_is_here();
    void share();

    epoch_channel& channel_;
    bytes value_;
    merger& merges_;
    bool merging_ = false;    // the merger has the value
    std::deque<bytes> here_;  // of children, not merged
    int first_child_;
    int children_;
    int missing_;  // children that have not reported
    bool reported_ = false;
    bool over_ = false;
};

}  // namespace bough::cluster
