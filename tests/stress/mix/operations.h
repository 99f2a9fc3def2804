#pragma once
// All that bough offers, each as an operation that checks its own answer.

#include <atomic>
#include <cstdint>
#include <span>

#include "stress/mix/scope.h"

namespace mix {

struct operation {
    const char* name;
    void (*run)(scope&);
    std::atomic<std::uint64_t> times{0};
};

std::span<operation> operations();

// One of them, by the scope's dice.
void run_any(scope& s);

// loops.cpp
void loop_over_indices(scope& s);
void loop_over_range(scope& s);
void loop_over_dimensions(scope& s);
void loops_with_affinity(scope& s);
void loop_over_morsels(scope& s);
// folds.cpp
void reduce_by_functions(scope& s);
void reduce_by_body(scope& s);
void reduce_deterministically(scope& s);
void scan(scope& s);
// items.cpp
void for_each_item(scope& s);
void feed(scope& s);
void sort(scope& s);
void pipeline(scope& s);
// tasks.cpp
void invoke(scope& s);
void fork_tree(scope& s);
void group_of_tasks(scope& s);
void abandoned_group(scope& s);
void tasks_of_another_thread(scope& s);
void suspended_tasks(scope& s);
// arenas.cpp
void execute_in_arena(scope& s);
void enqueue_in_arena(scope& s);
void isolated(scope& s);
void under_a_limit(scope& s);
void observed(scope& s);

}  // namespace mix
