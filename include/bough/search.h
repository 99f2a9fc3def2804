#pragma once
// Tree searches: enumerate (search/enumerate.h), maximise, minimise, decide_at_least, decide_at_most
// (search/optimise.h). Not part of bough.h.
//
// A search walks a tree that a space describes. A space is a class with
//   node                                 a type: one node of the tree; copyable
//   children                             a type: makes a node's children one after the other, from left to right:
//     children(const Space&, const node&)    both stay where they are while this lives
//     std::size_t num_children() const       the number of all, the same each time
//     node next()                            called at most so many times
//   and for maximise, minimise and decisions
//   objective(const node&) const         std::int64_t, or std::optional of that: empty if the node is no solution
//   bound(const node&) const             std::int64_t; may be left out. No node in the subtree, its root included, has
//                                        a better objective: for maximise a larger, for minimise a smaller one.
//   bounds_fall                          static constexpr bool; may be left out. True if a node's children come with
//                                        the better bounds first: where one is pruned, its siblings behind it are, too.
//
// Several threads call the space at a time, always as const. A node is made and destroyed in any thread. Searches may
// run at the same time and within each other.
//
// Each call throws the first exception of the space, a node, children or a monoid, after the rest of the search was
// stopped; std::bad_alloc; std::invalid_argument if the options make no sense; and what task_arena::execute throws.
// The time is that of the visited nodes. Memory: a frame for each level of the tree and thread, and the waiting tasks.

#include "search/enumerate.h"
#include "search/optimise.h"
#include "search/options.h"
