#pragma once
// What a search may be told, and what it tells: the skeleton and its parameters, counters, and a view of a running
// search. For all functions of search.h.

#include <atomic>
#include <cstdint>
#include <limits>

namespace bough {

class task_arena;

namespace search {

namespace detail {
class outside_work;
}

// How the tree is cut into tasks. All skeletons visit the same nodes, but for those that a better bound prunes.
// sequential: not at all; the calling thread walks the tree depth first.
// depth_bounded: every node above spawn_depth spawns its children as tasks.
// budget: a task that has left `budget` nodes spawns what is left of its shallowest node, and counts anew.
// stack_stealing: a task spawns what is left of its shallowest node while fewer tasks are there than threads.
// ordered: the first task spawns the nodes at spawn_depth, numbered from the left, and threads take them in that order.
enum class skeleton { sequential, depth_bounded, budget, stack_stealing, ordered };

// What is known of a search while it runs. Any thread may read it. `nodes` lags behind by up to 1,024 for each thread.
struct progress {
    std::atomic<std::uint64_t> nodes{0}, spawned{0}, executed{0};
    std::atomic<bool> has_best{false};
    std::atomic<std::int64_t> best{0};  // the best objective so far, if has_best
};

struct options {
    skeleton how = skeleton::budget;
    unsigned spawn_depth = 2;       // depth_bounded, ordered
    std::uint64_t budget = 10'000;  // in nodes
    bool chunked = true;            // stack_stealing: all that is left of a node, not its next child alone
    bool by_discrepancies = false;  // ordered: tasks with fewer steps away from the leftmost child go first
    unsigned depth_limit =
        std::numeric_limits<unsigned>::max();  // nodes at this depth have no children; the root has 0
    unsigned threads = 0;         // in an arena of so many slots; 0: in the arena that the caller is in
    task_arena* arena = nullptr;  // in this arena; then `threads` is not looked at
    progress* watch = nullptr;    // written while the search runs
    detail::outside_work* outside = nullptr;  // for the library: other processes that search the same tree
};

struct counters {
    std::uint64_t spawned = 0;   // tasks; the root is one
    std::uint64_t executed = 0;  // tasks, those that a decision has dropped included
    std::uint64_t local = 0;     // of `executed`: spawned in this process
    std::uint64_t remote = 0;    // of `executed`: spawned in another one
    std::uint64_t nodes = 0;     // visited
    std::uint64_t pruned = 0;    // nodes that were made, and left out because of their bound
    std::uint64_t bounds = 0;    // times that a better objective was found
    bool complete =
        true;  // false if the task or loop around the search was cancelled; the result is partial then

    void add(const counters& other) {
        spawned += other.spawned;
        executed += other.executed;
        local += other.local;
        remote += other.remote;
        nodes += other.nodes;
        pruned += other.pruned;
        bounds += other.bounds;
        complete = complete && other.complete;
    }
};

}  // namespace search
}  // namespace bough
