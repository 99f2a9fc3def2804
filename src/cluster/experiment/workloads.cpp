#include "cluster/experiment/workloads.h"

#include <bitset>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "cluster/random.h"

namespace bough::cluster {
namespace {

// ---- trees; each node is {where it is, its depth}, children() appends them in order

// UTS with splitmix64 in the place of SHA-1: the same shapes, other sizes.
struct uts_node {
    std::uint64_t state;
    std::uint32_t depth;
};

template <class ChildCount>
struct uts {
    ChildCount count;
    uts_node root() const { return {random_numbers::mix(42), 0}; }
    void children(const uts_node& n, std::vector<uts_node>& out) const {
        const double u = static_cast<double>(random_numbers::mix(n.state) >> 11) * 0x1.0p-53;
        const std::uint32_t children = count(n, u);
        for (std::uint32_t i = 1; i <= children; ++i)
            out.push_back({random_numbers::mix(n.state + i * 0x9e3779b97f4a7c15u), n.depth + 1});
    }
};

// T1: -t1 -a3 -b4, with d = 10 in the original: geometric with mean 4, cut off at depth d.
struct geometric {
    std::uint32_t depth;
    std::uint32_t operator()(const uts_node& n, double u) const {
        if (n.depth >= depth)
            return 0;
        return static_cast<std::uint32_t>(std::log(1 - u) / std::log(1 - 1.0 / (1 + 4.0)));
    }
};
// T3: -t0 -q.124875 -m8, with b = 2000 in the original: b children of the root, then 8 or none.
struct binomial {
    std::uint32_t of_root;
    std::uint32_t operator()(const uts_node& n, double u) const {
        return n.depth == 0 ? of_root : u < 0.124875 ? 8 : 0;
    }
};

// Numerical semigroups by their genus: a child lacks one generator that is not below the conductor.
template <std::uint32_t Genus>
struct semigroups {
    static constexpr std::uint32_t genus = Genus;
    static constexpr std::size_t top = 3 * genus + 3;  // no generator of interest is above
    struct node {
        std::bitset<top> has;
        std::uint32_t conductor;
        std::uint32_t multiplicity;
        std::uint32_t depth;  // the genus
    };
    node root() const { return {std::bitset<top>().set(), 0, 1, 0}; }
    void children(const node& n, std::vector<node>& out) const {
        if (n.depth == genus)
            return;
        const std::uint32_t first = std::max(n.conductor, 1u);
        for (std::uint32_t x = first; x < n.conductor + n.multiplicity + (n.depth == 0); ++x) {
            if (!is_generator(n, x))
                continue;
            node child = n;
            child.has.reset(x);
            child.conductor = x + 1;
            child.multiplicity = x == n.multiplicity ? x + 1 : n.multiplicity;
            ++child.depth;
            out.push_back(child);
        }
    }
    static bool is_generator(const node& n, std::uint32_t x) {
        if (!n.has[x])
            return false;
        for (std::uint32_t a = n.multiplicity; a <= x / 2; ++a)
            if (n.has[a] && n.has[x - a])
                return false;
        return true;
    }
};

// ---- tasks

template <class Tree>
task_tree cut(const Tree& tree, const workload_options& with) {
    using node = decltype(tree.root());
    task_tree result;
    std::vector<node> starts{tree.root()};  // of each task
    result.tasks.push_back({});
    std::vector<node> stack, children;
    for (std::size_t t = 0; t < result.tasks.size(); ++t) {
        stack.assign(1, starts[t]);
        std::uint32_t nodes = 0;
        for (; nodes < with.budget && !stack.empty(); ++nodes) {
            const node n = stack.back();
            stack.pop_back();
            children.clear();
            tree.children(n, children);
            stack.insert(stack.end(), children.rbegin(), children.rend());
        }
        recorded_task& done = result.tasks[t];
        done.cost = with.node_cost * nodes;
        done.first_child = static_cast<std::uint32_t>(result.tasks.size());
        done.children = static_cast<std::uint32_t>(stack.size());
        for (const node& left : stack) {  // shallowest first
            starts.push_back(left);
            result.tasks.push_back({0, 0, 0, left.depth});
        }
    }
    return result;
}

// Throws std::logic_error if the tasks together do not have so many nodes.
task_tree checked(task_tree tree, std::uint64_t nodes, const workload_options& with) {
    if (const auto got = static_cast<std::uint64_t>(tree.work() / with.node_cost); got != nodes)
        throw std::logic_error("the tasks have " + std::to_string(got) + " nodes, their tree " +
                               std::to_string(nodes));
    return tree;
}

// Against a walk that knows nothing of tasks.
template <class Tree>
task_tree cut_and_count(const Tree& tree, const workload_options& with) {
    std::uint64_t nodes = 0;
    std::vector stack{tree.root()};
    while (!stack.empty()) {
        const auto n = stack.back();
        stack.pop_back();
        ++nodes;
        tree.children(n, stack);
    }
    return checked(cut(tree, with), nodes, with);
}

// Against OEIS A007323, summed from genus 0.
template <std::uint32_t Genus>
task_tree cut_semigroups(std::uint64_t nodes, const workload_options& with) {
    return checked(cut(semigroups<Genus>{}, with), nodes, with);
}

task_tree read_tree(const std::string& file) {
    std::ifstream in(file);
    if (!in)
        throw std::invalid_argument(
            "workload '" + file +
            "': no such file; made here are uts-geometric[-12 or -14], uts-binomial[-20k], semigroups[-28]");
    task_tree tree;
    std::string text;
    for (int line = 1; std::getline(in, text); ++line) {
        long long cost = 0;
        recorded_task t;
        int end = 0;
        const int fields =
            std::sscanf(text.c_str(), "%lld %u %u %u %n", &cost, &t.first_child, &t.children, &t.depth, &end);
        if (fields != 4 || static_cast<std::size_t>(end) != text.size() || cost < 0 ||
            (t.children > 0 && t.first_child <= tree.tasks.size()))
            throw std::invalid_argument(file + ":" + std::to_string(line) +
                                        ": wanted are cost, first child, children, depth");
        t.cost = cost;
        tree.tasks.push_back(t);
    }
    for (std::size_t i = 0; i < tree.tasks.size(); ++i)
        if (std::uint64_t{tree.tasks[i].first_child} + tree.tasks[i].children > tree.tasks.size() &&
            tree.tasks[i].children > 0)
            throw std::invalid_argument(file + ":" + std::to_string(i + 1) +
                                        ": its children are not in the file");
    if (tree.tasks.empty())
        throw std::invalid_argument(file + ": no task");
    return tree;
}

}  // namespace

task_tree make_workload(const std::string& name, const workload_options& with) {
    if (name == "uts-geometric")
        return cut_and_count(uts<geometric>{{10}}, with);
    if (name == "uts-geometric-12")
        return cut_and_count(uts<geometric>{{12}}, with);
    if (name == "uts-geometric-14")
        return cut_and_count(uts<geometric>{{14}}, with);
    if (name == "uts-binomial")
        return cut_and_count(uts<binomial>{{2'000}}, with);
    if (name == "uts-binomial-20k")
        return cut_and_count(uts<binomial>{{20'000}}, with);
    if (name == "semigroups")
        return cut_semigroups<24>(712'373, with);
    if (name == "semigroups-28")
        return cut_semigroups<28>(5'311'726, with);
    return read_tree(name);
}

void write_tree(const task_tree& tree, const std::string& file) {
    std::ofstream out(file);
    for (const recorded_task& t : tree.tasks)
        out << t.cost << ' ' << t.first_child << ' ' << t.children << ' ' << t.depth << '\n';
    if (!out.flush())
        throw std::invalid_argument("cannot write " + file);
}

}  // namespace bough::cluster
