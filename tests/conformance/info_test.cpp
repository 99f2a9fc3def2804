// tbb::info: NUMA nodes, core types, default concurrency.
#include "support.h"

#include <oneapi/tbb/info.h>

#include <sched.h>

#include <set>

namespace {

int allowed_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                       : int(std::thread::hardware_concurrency());
}

TEST(info, default_concurrency_is_that_of_the_allowed_cpus) {
    EXPECT_GE(tbb::info::default_concurrency(), 1);
    EXPECT_LE(tbb::info::default_concurrency(), allowed_cpus());
    EXPECT_EQ(tbb::info::default_concurrency(), tbb::info::default_concurrency(tbb::task_arena::automatic));
    EXPECT_EQ(tbb::info::default_concurrency(),
              tbb::info::default_concurrency(tbb::task_arena::constraints{}));
    std::thread([] {
        EXPECT_EQ(tbb::info::default_concurrency(), tbb::this_task_arena::max_concurrency());
    }).join();
}

TEST(info, limits_do_not_change_it) {
    const int before = tbb::info::default_concurrency();
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    EXPECT_EQ(tbb::info::default_concurrency(), before);
}

TEST(info, numa_nodes) {
    const std::vector<tbb::numa_node_id> nodes = tbb::info::numa_nodes();
    ASSERT_FALSE(nodes.empty());
    EXPECT_EQ(std::set<tbb::numa_node_id>(nodes.begin(), nodes.end()).size(), nodes.size());
    EXPECT_EQ(tbb::info::numa_nodes(), nodes);
    int sum = 0;
    for (auto node : nodes) {
        EXPECT_GE(node, -1);
        EXPECT_GE(tbb::info::default_concurrency(node), 1);
        EXPECT_LE(tbb::info::default_concurrency(node), allowed_cpus());
        sum += tbb::info::default_concurrency(node);
        EXPECT_EQ(tbb::info::default_concurrency(tbb::task_arena::constraints(node)),
                  tbb::info::default_concurrency(node));
    }
    EXPECT_LE(sum, allowed_cpus());
}

TEST(info, core_types) {
    const std::vector<tbb::core_type_id> types = tbb::info::core_types();
    ASSERT_FALSE(types.empty());
    EXPECT_EQ(std::set<tbb::core_type_id>(types.begin(), types.end()).size(), types.size());
    for (auto type : types) {
        const auto c = tbb::task_arena::constraints{}.set_core_type(type);
        EXPECT_GE(tbb::info::default_concurrency(c), 1);
        EXPECT_LE(tbb::info::default_concurrency(c), allowed_cpus());
    }
}

TEST(info, constraints_with_a_number_of_threads) {
    for (int n : {1, 2, 1000})
        EXPECT_EQ(tbb::info::default_concurrency(tbb::task_arena::constraints{}.set_max_concurrency(n)), n);
    const int one =
        tbb::info::default_concurrency(tbb::task_arena::constraints{}.set_max_threads_per_core(1));
    EXPECT_GE(one, 1);
    EXPECT_LE(one, tbb::info::default_concurrency());
}

}  // namespace
