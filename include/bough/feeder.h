#pragma once
// feeder: through it a body of parallel_for_each adds items to the call that it is part of.

#include <utility>

#include "task_group.h"

namespace bough {

// A body takes it by reference as its second argument, and adds while it runs; from any thread. Items that were added
// are run before the call returns, or never when it is cancelled. O(1) each, with one allocation.
template <class Item>
class feeder {
public:
    feeder(const feeder&) = delete;
    feeder& operator=(const feeder&) = delete;

    // Throws std::bad_alloc, and what copying the item throws; nothing was added then.
    void add(const Item& item) { group_.run(added{*this, item}); }
    void add(Item&& item) { group_.run(added{*this, std::move(item)}); }

protected:
    // For the engine: run_item(*this, item) is called in a task of the group.
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
