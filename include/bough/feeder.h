#pragma once
// feeder: a body of parallel_for_each adds items to its call through a feeder.

#include <utility>

#include "task_group.h"

namespace bough {

// A body takes the feeder by reference as its second argument, and adds items while it runs, from any thread. The call
// of parallel_for_each runs the added items before it returns. If it is cancelled, it leaves out those that have not
// begun. O(1) and one allocation for each item.
template <class Item>
class feeder {
public:
    feeder(const feeder&) = delete;
    feeder& operator=(const feeder&) = delete;

    // Throws std::bad_alloc, and what copying the item throws; then nothing was added.
    void add(const Item& item) { group_.run(added{*this, item}); }
    void add(Item&& item) { group_.run(added{*this, std::move(item)}); }

protected:
    // For the library. A task of the group calls run_item(*this, item).
    using run_function = void (*)(feeder&, Item&);
    feeder(task_group& group, run_function run_item) : group_(group), run_item_(run_item) {}
    ~feeder() = default;

private:
    struct added {
        feeder& from;
        Item item;
        void operator()() { from.run_item_(from, item); }
    };

    task_group& group_;
    run_function run_item_;
};

}  // namespace bough
