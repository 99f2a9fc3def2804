#include "cluster/simulation/task_tree.h"

#include <algorithm>
#include <stdexcept>

#include "cluster/random.h"
#include "cluster/wire.h"

namespace bough::cluster {

// Children stand behind their parents, so that one pass from the end sees them first.
time_ns task_tree::span() const {
    std::vector<time_ns> longest(tasks.size());
    for (std::size_t i = tasks.size(); i-- > 0;) {
        const recorded_task& t = tasks[i];
        time_ns below = 0;
        for (std::uint32_t c = 0; c < t.children; ++c)
            below = std::max(below, longest[t.first_child + c]);
        longest[i] = t.cost + below;
    }
    return tasks.empty() ? 0 : longest[0];
}

packed_task pack(const task_tree& tree, std::uint32_t task) {
    wire_writer to;
    to.put(task);
    return {tree.tasks[task].depth, task, to.take()};
}

std::uint32_t unpack(const task_tree& tree, const packed_task& task) {
    const auto number = wire_reader(task.bytes).get<std::uint32_t>();
    if (number >= tree.tasks.size())
        throw std::runtime_error("bough: a stolen task is not in the recorded tree");
    return number;
}

task_tree random_tree(std::uint64_t seed, std::uint32_t size, std::uint32_t most_children,
                      time_ns mean_cost) {
    random_numbers random(seed);
    task_tree tree;
    const auto add = [&](std::uint32_t depth) {
        const double factor = 2 * random.fraction();
        tree.tasks.push_back({static_cast<time_ns>(factor * static_cast<double>(mean_cost)), 0, 0, depth});
    };
    add(0);
    for (std::uint32_t i = 0; i < tree.tasks.size(); ++i) {
        const auto known = static_cast<std::uint32_t>(tree.tasks.size());
        // The last known task has a child as long as the tree is too small.
        const std::uint32_t least = i + 1 == known && known < size ? 1 : 0;
        const std::uint32_t wanted = std::max(least, random.below(most_children + 1));
        const std::uint32_t children = std::min(wanted, size > known ? size - known : 0);
        tree.tasks[i].first_child = known;
        tree.tasks[i].children = children;
        for (std::uint32_t c = 0; c < children; ++c)
            add(tree.tasks[i].depth + 1);
    }
    return tree;
}

}  // namespace bough::cluster
