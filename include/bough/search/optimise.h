#pragma once
// maximise, minimise: a node with the best objective. decide_at_least, decide_at_most: any node whose objective is good
// enough.

#include <cstdint>
#include <optional>
#include <utility>

#include "detail/goals.h"
#include "detail/run.h"
#include "detail/together.h"
#include "options.h"

namespace bough::search {

template <class Node>
struct optimisation_result {
    std::optional<Node> node;    // empty if no node has an objective
    std::int64_t objective = 0;  // of the node, if there is one
    counters counted;
};

namespace detail {

template <bool Maximise, class Space, class Goal>
optimisation_result<typename Space::node> best_of(const Space& space, const typename Space::node& root,
                                                  Goal& goal, const options& o) {
    const counters counted = run_search(space, root, goal, o);
    auto& best = goal.best();
    if (o.outside) {
        const auto all = best_of_all<typename Space::node>(*o.outside, best.node(), best.held());
        return {all.node, all.node ? key_of<Maximise>(all.key) : 0, o.outside->sum(counted)};
    }
    return {std::move(best.node()), best.node() ? key_of<Maximise>(best.held()) : 0, counted};
}

template <bool Maximise, class Space>
optimisation_result<typename Space::node> optimise(const Space& space, const typename Space::node& root,
                                                   const options& o) {
    optimisation<Space, Maximise> goal(space, o);
    return best_of<Maximise>(space, root, goal, o);
}

template <bool Maximise, class Space>
optimisation_result<typename Space::node> decide(const Space& space, const typename Space::node& root,
                                                 std::int64_t target, const options& o) {
    decision<Space, Maximise> goal(space, target, o);
    return best_of<Maximise>(space, root, goal, o);
}

}  // namespace detail

// The node with the largest objective. Several may have it; which one is returned may differ from run to run.
template <class Space>
optimisation_result<typename Space::node> maximise(const Space& space, const typename Space::node& root,
                                                   const options& o = {}) {
    return detail::optimise<true>(space, root, o);
}

// The node with the smallest objective.
template <class Space>
optimisation_result<typename Space::node> minimise(const Space& space, const typename Space::node& root,
                                                   const options& o = {}) {
    return detail::optimise<false>(space, root, o);
}

// A node whose objective is `target` or more, if there is one. The search stops at the first one that it finds.
template <class Space>
optimisation_result<typename Space::node> decide_at_least(const Space& space,
                                                          const typename Space::node& root,
                                                          std::int64_t target, const options& o = {}) {
    return detail::decide<true>(space, root, target, o);
}

// A node whose objective is `target` or less, if there is one.
template <class Space>
optimisation_result<typename Space::node> decide_at_most(const Space& space, const typename Space::node& root,
                                                         std::int64_t target, const options& o = {}) {
    return detail::decide<false>(space, root, target, o);
}

}  // namespace bough::search
