#pragma once
// A recorded search: each task, what it costs, and the tasks it spawns. Where nothing is pruned by bounds found
// elsewhere, these do not depend on who runs a task and when, so that a search is replayed from its record.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/local_work.h"
#include "cluster/transport.h"

namespace bough::cluster {

struct recorded_task {
    time_ns cost = 0;
    std::uint32_t first_child = 0;  // children lie side by side
    std::uint32_t children = 0;
    std::uint32_t depth = 0;
};

struct task_tree {
    std::vector<recorded_task> tasks;  // the root is first

    time_ns work() const {
        time_ns sum = 0;
        for (const recorded_task& t : tasks)
            sum += t.cost;
        return sum;
    }
    // The longest chain of tasks: no run is shorter.
    time_ns span() const;
};

// A task on its way is its number.
packed_task pack(const task_tree& tree, std::uint32_t task);
std::uint32_t unpack(const task_tree& tree, const packed_task& task);

// For tests: about `size` tasks, at least one; each of up to `most_children`, costing up to twice the mean.
task_tree random_tree(std::uint64_t seed, std::uint32_t size, std::uint32_t most_children, time_ns mean_cost);

}  // namespace bough::cluster
