#pragma once
// Unbalanced tree search: counts nodes, leaves and depth; every node a task. T1 and T3 of the original have published
// sizes, the smaller trees are counted by plain recursion.

#include <optional>
#include <string>
#include <vector>

#include "common/fork_join.h"
#include "common/fork_serial.h"
#include "common/measure.h"
#include "common/options.h"
#include "uts/tree.h"

namespace bench {

template <class Runtime, class Tree>
tree_size search(const Tree& tree, const tree_node& node) {
    const index n = tree.children(node);
    tree_size size{1, n == 0 ? 1u : 0u, node.depth};
    if (n == 0)
        return size;
    std::vector<tree_size> below(n);
    fork_each<Runtime>(
        0, n, [&](index i) { below[i] = search<Runtime>(tree, node.child(static_cast<std::uint32_t>(i))); });
    for (const tree_size& b : below)
        size.add(b);
    return size;
}

template <class Runtime, class Tree>
class tree_search {
public:
    tree_search(const Tree& tree, const std::optional<tree_size>& published)
        : tree_(tree), root_(tree_node::root(tree.seed)),
          expected_(published ? *published : search<fork_serial>(tree, root_)) {}

    void reset() { result_ = {}; }
    void run() {
        fork_root<Runtime>([this] { result_ = search<Runtime>(tree_, root_); });
    }
    std::size_t first_wrong() const { return result_ == expected_ ? none : 0; }

private:
    Tree tree_;
    tree_node root_;
    tree_size expected_, result_;
};

template <class Runtime, class Tree>
void register_tree(const std::string& name, const Tree& tree, std::optional<tree_size> published = {}) {
    using workload = tree_search<Runtime, Tree>;
    register_long_workload("uts/" + name, lazy<workload>([=] { return workload(tree, published); }));
}

template <class Runtime>
void register_uts(const options& o) {
    if (!o.papers) {
        register_tree<Runtime>("geometric/6", geometric_tree{6, 4, 19});
        register_tree<Runtime>("binomial/50", binomial_tree{50, 0.124875, 8, 42});
    } else if (!o.full) {
        register_tree<Runtime>("geometric/7", geometric_tree{7, 4, 19});
        register_tree<Runtime>("binomial/50", binomial_tree{50, 0.124875, 8, 42});
    }
    if (o.full) {
        register_tree<Runtime>("geometric/10", geometric_tree{10, 4, 19}, tree_size{4130071, 3305118, 10});
        register_tree<Runtime>("binomial/2000", binomial_tree{2000, 0.124875, 8, 42},
                               tree_size{4112897, 3599034, 1572});
    }
}

}  // namespace bench
