#pragma once
// What all workers of one search in this process share, whatever the skeleton: the space, the goal, the order to stop.
// And what one worker has for itself.

#include <atomic>
#include <cstdint>

#include "../../task_group.h"
#include "../options.h"
#include "frames.h"

namespace bough::search::detail {

// One thread at a time works with it.
template <class Space, class Goal>
struct worker {
    explicit worker(const Goal& goal) : part(goal.fresh()) {}

    frames<Space> stack;
    typename Goal::part part;
    counters count;
    std::uint64_t shown_nodes = 0;  // of count.nodes, those that the watcher knows
    std::int64_t idle_since_ns = 0;
};

template <class Space, class Goal>
class overseer {
public:
    using space_type = Space;
    using goal_type = Goal;
    using node = typename Space::node;
    using worker_type = worker<Space, Goal>;

    // So many nodes lie between two looks at what a node need not know at once: 1,024 of the cheapest nodes take some
    // 20 us.
    static constexpr std::uint64_t nodes_between_looks = 1024;

    overseer(const Space& of, Goal& wanted, const options& o) : space(of), goal(wanted), settings(o) {}

    // Relaxed: who stops a search waits for its tasks, or knows that they do no harm.
    bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }
    void stop_walks() { stopped_.store(true, std::memory_order_relaxed); }
    bool was_cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

    BOUGH_COLD void look_around(worker_type& w) {
        show(w);
        if (is_current_task_group_canceling()) {
            cancelled_.store(true, std::memory_order_relaxed);
            stop_walks();
        }
    }
    void show(worker_type& w) {
        if (progress* const watch = settings.watch)
            watch->nodes.fetch_add(w.count.nodes - w.shown_nodes, std::memory_order_relaxed);
        w.shown_nodes = w.count.nodes;
    }

    const Space& space;
    Goal& goal;
    const options settings;

protected:
    ~overseer() = default;
    void note_cancelled() { cancelled_.store(true, std::memory_order_relaxed); }

private:
    std::atomic<bool> stopped_{false}, cancelled_{false};
};

}  // namespace bough::search::detail
