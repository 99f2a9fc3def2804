#pragma once
// Walks one task's subtree depth first, and spawns parts of it as the skeleton says. One thread.
//
// A node is judged by its bound when it is made, and a task's root once more when the task begins. Every node that is
// not pruned is visited exactly once, a task's root by the thread that runs the task.

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "../options.h"
#include "frames.h"

namespace bough::search::detail {

// Destroys a node that does not become a frame.
template <class Node>
class node_owner {
public:
    explicit node_owner(Node& n) : node_(&n) {}
    node_owner(const node_owner&) = delete;
    node_owner& operator=(const node_owner&) = delete;
    ~node_owner() {
        if (node_)
            node_->~Node();
    }
    void release() { node_ = nullptr; }

private:
    Node* node_;
};

// Team: overseer, and for all skeletons but the sequential one team.h.
template <skeleton How, class Team>
class walk {
    using node = typename Team::node;
    using worker = typename Team::worker_type;

public:
    walk(Team& team, worker& w)
        : team_(team), w_(w), depth_limit_(team.settings.depth_limit), budget_(team.settings.budget) {}

    template <class Task>
    void run(Task& t, bool is_first) {
        run(std::move(t.node), t.depth, is_first);
    }
    // If it throws, the worker's stack holds what is left.
    void run(node&& root, unsigned depth, bool is_first) {
        base_ = depth;
        is_first_ = is_first;
        node& n = *new (w_.stack.above()) node(std::move(root));
        if (node_owner<node> owner(n); team_.goal.prunes(n))
            ++w_.count.pruned;
        else
            enter(n, depth, owner);
        while (w_.stack.height() != 0) {
            if (team_.is_stopped()) {
                w_.stack.clear();
                return;
            }
            step();
        }
    }

private:
    using frame = typename frames<typename Team::space_type>::frame;

    void step() {
        frame& f = w_.stack.top();
        if (f.left == 0) {
            w_.stack.pop();
            leave();
            return;
        }
        --f.left;
        node& child = *new (w_.stack.above()) node(f.below.next());
        node_owner<node> owner(child);
        if (is_pruned(child, f))
            return;
        const unsigned depth = base_ + static_cast<unsigned>(w_.stack.height());
        if constexpr (How == skeleton::depth_bounded) {
            if (depth <= team_.settings.spawn_depth)
                return team_.spawn(w_, std::move(child), depth, depth);
        } else if constexpr (How == skeleton::ordered) {
            if (is_first_ && depth == team_.settings.spawn_depth)
                return team_.spawn(w_, std::move(child), depth, place_in_order());
        } else if constexpr (How == skeleton::stack_stealing) {
            if (team_.is_hungry())
                feed();
        }
        enter(child, depth, owner);
    }

    bool is_pruned(const node& child, frame& parent) {
        if (!team_.goal.prunes(child))
            return false;
        ++w_.count.pruned;
        if constexpr (Team::goal_type::prunes_siblings)
            parent.left = 0;
        return true;
    }

    // The node lies above the stack's top.
    void enter(const node& n, unsigned depth, node_owner<node>& owner) {
        if (++w_.count.nodes % Team::nodes_between_looks == 0)
            team_.look_around(w_);
        if (!team_.goal.visit(w_.part, w_.count, n, depth)) {
            team_.stop_walks();
            return;
        }
        if (depth < depth_limit_ && w_.stack.push(team_.space, n))
            owner.release();
        else
            leave();
    }

    // A node and all below it are done with.
    void leave() {
        if constexpr (How == skeleton::budget) {
            if (++left_ >= budget_) {
                left_ = 0;
                spill();
            }
        }
        if constexpr (How == skeleton::budget || How == skeleton::stack_stealing) {
            if (lowest_ > w_.stack.height())
                lowest_ = w_.stack.height();
        }
    }

    // The shallowest frame that has children left, or null. No frame below lowest_ has any.
    frame* shallowest() {
        for (; lowest_ < w_.stack.height(); ++lowest_)
            if (frame& f = w_.stack.at(lowest_); f.left != 0)
                return &f;
        return nullptr;
    }

    // Spawns the next child of the shallowest frame. False if a bound has pruned it.
    bool spawn_next(frame& f) {
        --f.left;
        node child(f.below.next());
        if (is_pruned(child, f))
            return false;
        const unsigned depth = base_ + static_cast<unsigned>(lowest_) + 1;
        team_.spawn(w_, std::move(child), depth, depth);
        return true;
    }

    BOUGH_NOINLINE void spill() {
        if (frame* const f = shallowest())
            while (f->left != 0)
                spawn_next(*f);
    }

    BOUGH_NOINLINE void feed() {
        while (frame* const f = shallowest()) {
            bool spawned = false;
            while (f->left != 0 && (team_.settings.chunked || !spawned))
                spawned |= spawn_next(*f);
            if (spawned)
                return;
        }
    }

    // Of the child that the top frame has just made: its number from the left, after the steps away from the leftmost
    // child on the way to it, if these count.
    std::uint64_t place_in_order() {
        std::uint64_t steps = 0;
        if (team_.settings.by_discrepancies)
            for (std::size_t i = 0; i < w_.stack.height(); ++i) {
                frame& f = w_.stack.at(i);
                steps += f.left + 1 < f.below.num_children();
            }
        return (steps << 40) + made_++;  // 2^40 tasks do not fit into any memory
    }

    Team& team_;
    worker& w_;
    const unsigned depth_limit_;
    const std::uint64_t budget_;
    unsigned base_ = 0;       // the depth of the task's root
    bool is_first_ = false;   // this task is the root of the whole tree
    std::uint64_t left_ = 0;  // nodes, since the last spill
    std::size_t lowest_ = 0;
    std::uint64_t made_ = 0;  // tasks
};

}  // namespace bough::search::detail
