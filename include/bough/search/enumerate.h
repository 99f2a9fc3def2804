#pragma once
// enumerate: visits all nodes of a tree, and gathers what a monoid makes of them.

#include <utility>

#include "detail/goals.h"
#include "detail/run.h"
#include "detail/together.h"
#include "options.h"

namespace bough::search {

template <class Monoid>
struct enumeration_result {
    Monoid value;
    counters counted;
};

// Calls value.visit(space, node, depth) for each node of the tree, with copies of `identity` for each thread, and joins
// the copies: a.join(std::move(b)). Visits come in no order, and joins neither.
template <class Space, class Monoid>
enumeration_result<Monoid> enumerate(const Space& space, const typename Space::node& root,
                                     const Monoid& identity, const options& o = {}) {
    detail::check_travels<Monoid>(o,
                                  "bough::search: values that are not trivially copyable and have no pack()");
    detail::enumeration<Space, Monoid> goal(space, identity);
    const counters counted = detail::run_search(space, root, goal, o);
    if (o.outside)
        return {detail::join_all(*o.outside, goal.total()), o.outside->sum(counted)};
    return {std::move(goal.total()), counted};
}

}  // namespace bough::search
