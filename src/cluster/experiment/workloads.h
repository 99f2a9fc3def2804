#pragma once
// Searches to replay: trees that are made here, by a splitting generator and so the same everywhere, cut into tasks as
// YewPar's Budget skeleton does. A task walks its subtree depth first; after `budget` nodes it ends, and every node
// that is left on its stack becomes a task.

#include <string>

#include "cluster/simulation/task_tree.h"

namespace bough::cluster {

struct workload_options {
    std::uint32_t budget = 500;  // nodes
    time_ns node_cost = 20'000;  // ns
};

// uts-geometric (like UTS T1, to depth 10; or -12, -14), uts-binomial (like T3, 2,000 children of the root; or -20k),
// semigroups (to genus 24; or -28), or a file that write_tree has written. Throws std::invalid_argument, and
// std::logic_error if the tasks lack nodes of their tree.
task_tree make_workload(const std::string& name, const workload_options& with);

// One line for each task: cost in ns, first child, children, depth.
void write_tree(const task_tree& tree, const std::string& file);

}  // namespace bough::cluster
