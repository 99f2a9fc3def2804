#pragma once
// Results of nodes of a reduction's tree that wait for their joins. The units of the loop are numbered from left to
// right. A node covers some units, and middle() cuts it in two. A thread folds whole nodes and keeps the largest ones,
// O(log units) of them. The caller folds what is left after the loop. So the joins are always the same, in the same
// tree.

#include <iterator>
#include <list>

#include "../parallel_reduce.h"
#include "loop_job.h"

namespace bough::detail {

inline unit middle(unit lo, unit hi) {
    return hi - (hi - lo) / 2;
}

// The result of the node of units [first, last).
template <class Body>
struct folded_node {
    template <class Split>
    folded_node(unit from, unit to, Body& root, Split tag) : first(from), last(to), body(root, tag) {}
    unit first;
    unit last;
    Body body;
};

// What one thread has folded of the units from `first` on, from left to right. The node at the left edge of the tree
// lies in the root, which is the caller's body, if this interval has that node.
template <class Body>
struct folded_interval {
    folded_interval(unit from, Body& b) : first(from), root(b) {}

    template <class Split>
    Body& add(unit lo, unit hi, Split tag) {
        if (lo != 0)
            return nodes.emplace_back(lo, hi, root, tag).body;
        in_root = hi;
        return root;
    }

    // Joins the last two nodes, which are children of one node.
    void join_last_two() {
        auto& right = nodes.back();
        if (nodes.size() == 1) {
            root.join(right.body);
            in_root = right.last;
        } else {
            auto& left = *std::prev(nodes.end(), 2);
            left.body.join(right.body);
            left.last = right.last;
        }
        nodes.pop_back();
    }

    unit first;
    unit in_root = 0;  // node [0, in_root) lies in the root
    Body& root;
    std::list<folded_node<Body>> nodes;
};

// The intervals of a loop: the caller's, and those that other threads took over.
template <class Body>
class folded_loop {
public:
    using interval = folded_interval<Body>;

    explicit folded_loop(Body& root) : callers_(0, root) {}

    interval& of(void* accumulator) { return accumulator ? *static_cast<interval*>(accumulator) : callers_; }
    void* take_over(unit first) { return taken_over_.add(first, first, callers_.root); }

    // Leaves the result of the whole tree of `units` in the root. To be called after the loop, if it was not stopped.
    void finish(unit units) {
        taken_over_.fold([this](interval& part) {
            callers_.nodes.splice(callers_.nodes.end(), part.nodes);
            if (part.first == 0)
                callers_.in_root = part.in_root;
        });
        auto next = callers_.nodes.begin();
        collapse(next, 0, units);
    }

private:
    using iterator = typename std::list<folded_node<Body>>::iterator;

    Body& collapse(iterator& next, unit lo, unit hi) {
        if (lo == 0 && hi == callers_.in_root)
            return callers_.root;
        if (lo != 0 && next->first == lo && next->last == hi)
            return (next++)->body;
        const unit mid = middle(lo, hi);
        Body& left = collapse(next, lo, mid);
        Body& right = collapse(next, mid, hi);
        left.join(right);
        return left;
    }

    interval callers_;
    partials<interval> taken_over_;
};

}  // namespace bough::detail
