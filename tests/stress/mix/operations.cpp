#include "stress/mix/operations.h"

namespace mix {

std::span<operation> operations() {
    static operation all[] = {
        {"for_indices", loop_over_indices},
        {"for_range", loop_over_range},
        {"for_dimensions", loop_over_dimensions},
        {"for_affinity", loops_with_affinity},
        {"for_morsels", loop_over_morsels},
        {"reduce", reduce_by_functions},
        {"reduce_body", reduce_by_body},
        {"deterministic_reduce", reduce_deterministically},
        {"scan", scan},
        {"for_each", for_each_item},
        {"feeder", feed},
        {"sort", sort},
        {"pipeline", pipeline},
        {"invoke", invoke},
        {"fork_tree", fork_tree},
        {"group", group_of_tasks},
        {"abandoned_group", abandoned_group},
        {"other_thread", tasks_of_another_thread},
        {"suspend", suspended_tasks},
        {"execute", execute_in_arena},
        {"enqueue", enqueue_in_arena},
        {"isolate", isolated},
        {"limit", under_a_limit},
        {"observer", observed},
    };
    return all;
}

void run_any(scope& s) {
    const std::span<operation> all = operations();
    operation& chosen = all[s.roll.below(all.size())];
    s.name = chosen.name;
    if (s.is_outermost)
        s.from->doing.store(chosen.name, std::memory_order_relaxed);
    chosen.run(s);
    chosen.times.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace mix
