#pragma once
// From a search call to its walks.

#include <optional>
#include <stdexcept>

#include "../../task_arena.h"
#include "../options.h"
#include "overseer.h"
#include "packing.h"
#include "team.h"
#include "walk.h"

namespace bough::search::detail {

// The sequential skeleton's team: one worker, and nothing to spawn.
template <class Space, class Goal>
class loner final : public overseer<Space, Goal> {
    using base = overseer<Space, Goal>;

public:
    using base::base;

    counters run(const typename base::node& root) {
        typename base::worker_type w(this->goal);
        walk<skeleton::sequential, loner>(*this, w).run(typename base::node(root), 0, true);
        this->show(w);
        w.count.spawned = w.count.executed = w.count.local = 1;
        w.count.complete = !this->was_cancelled();
        this->goal.join(std::move(w.part));
        return w.count;
    }
};

inline void check(const options& o) {
    if (o.how == skeleton::budget && o.budget == 0)
        throw std::invalid_argument("bough::search: a budget of no nodes");
    if (o.outside && o.how == skeleton::sequential)
        throw std::invalid_argument("bough::search: the sequential skeleton runs in one process");
}

// What goes from one process to another has a form in bytes.
template <class Value>
void check_travels(const options& o, const char* complaint) {
    if (o.outside && !can_travel<Value>)
        throw std::invalid_argument(complaint);
}

template <class Space, class Goal>
counters run_search(const Space& space, const typename Space::node& root, Goal& goal, const options& o) {
    check(o);
    if (o.how == skeleton::sequential)
        return loner<Space, Goal>(space, goal, o).run(root);
    check_travels<typename Space::node>(
        o, "bough::search: nodes that are not trivially copyable and have no pack()");
    const auto run_here = [&] { return team<Space, Goal>(space, goal, o).run(root); };
    if (o.arena)
        return o.arena->execute(run_here);
    if (o.threads != 0)
        return task_arena(static_cast<int>(o.threads)).execute(run_here);
    return run_here();
}

}  // namespace bough::search::detail
