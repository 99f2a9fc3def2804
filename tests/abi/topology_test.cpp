// info.h through oneTBB's public header: nodes, kinds of core and concurrency agree with each other and with the
// affinity mask. Ids are not tested beyond that: they are the machine's.

#include <gtest/gtest.h>

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include "abi/library.h"
#include "support/new_process.h"

namespace {

using bough_test::has_cpus_0_and_1;
using bough_test::in_new_process;

namespace r1 = tbb::detail::r1;
using constraints = tbb::task_arena::constraints;

constraints on_node(int id) {
    return constraints{}.set_numa_id(id);
}

int concurrency(const constraints& c) {
    return tbb::info::default_concurrency(c);
}

// oneTBB takes ids in constraints only after its topology has been asked for.
class topology : public testing::Test {
protected:
    void SetUp() override {
        nodes_ = tbb::info::numa_nodes();
        kinds_ = tbb::info::core_types();
    }
    std::vector<tbb::numa_node_id> nodes_;
    std::vector<tbb::core_type_id> kinds_;
};

TEST_F(topology, has_nodes_and_kinds_each_once) {
    ASSERT_GE(nodes_.size(), 1u);
    ASSERT_GE(kinds_.size(), 1u);
    EXPECT_EQ(std::set<int>(nodes_.begin(), nodes_.end()).size(), nodes_.size());
    EXPECT_EQ(std::set<int>(kinds_.begin(), kinds_.end()).size(), kinds_.size());
    EXPECT_EQ(r1::numa_node_count(), nodes_.size());
    EXPECT_EQ(r1::core_type_count(), kinds_.size());
    EXPECT_TRUE(std::is_sorted(kinds_.begin(), kinds_.end()));
    for (const int id : nodes_)
        EXPECT_GE(id, nodes_.size() == 1 ? -1 : 0);
    for (const int id : kinds_)
        EXPECT_GE(id, kinds_.size() == 1 ? -1 : 0);
}

TEST_F(topology, concurrency_is_that_of_an_arena) {
    EXPECT_GE(tbb::info::default_concurrency(), 1);
    EXPECT_EQ(tbb::info::default_concurrency(), tbb::info::default_concurrency(tbb::task_arena::automatic));
    EXPECT_EQ(tbb::info::default_concurrency(), concurrency(constraints{}));
    EXPECT_EQ(tbb::info::default_concurrency(), tbb::this_task_arena::max_concurrency());
}

TEST_F(topology, nodes_share_the_cpus_out) {
    int sum = 0;
    for (const int id : nodes_) {
        EXPECT_GE(tbb::info::default_concurrency(id), 1);
        EXPECT_EQ(tbb::info::default_concurrency(id), concurrency(on_node(id)));
        sum += tbb::info::default_concurrency(id);
    }
    if (std::getenv("BOUGH_NUM_THREADS") == nullptr) {
        EXPECT_GE(sum, tbb::info::default_concurrency());
    }
}

TEST_F(topology, kinds_share_the_cpus_out) {
    int sum = 0;
    for (const int id : kinds_) {
        EXPECT_GE(concurrency(constraints{}.set_core_type(id)), 1);
        sum += concurrency(constraints{}.set_core_type(id));
    }
    if (std::getenv("BOUGH_NUM_THREADS") == nullptr) {
        EXPECT_GE(sum, tbb::info::default_concurrency());
    }
}

TEST_F(topology, one_thread_per_core_is_not_more_than_two) {
    for (const int id : nodes_) {
        const int all = concurrency(on_node(id));
        const int one = concurrency(on_node(id).set_max_threads_per_core(1));
        const int two = concurrency(on_node(id).set_max_threads_per_core(2));
        EXPECT_GE(one, 1);
        EXPECT_LE(one, two);
        EXPECT_LE(two, all);
        EXPECT_LE(two, 2 * one);
        EXPECT_EQ(concurrency(on_node(id).set_max_threads_per_core(1000)), all);
    }
}

TEST_F(topology, a_given_concurrency_is_taken) {
    EXPECT_EQ(concurrency(constraints{}.set_max_concurrency(17)), 17);
    EXPECT_EQ(concurrency(on_node(nodes_.front()).set_max_concurrency(1)), 1);
}

TEST_F(topology, nobody_asks_for_threads_per_core) {
    for (const int threads : {-1, 1, 2})
        EXPECT_EQ(r1::constraints_threads_per_core(constraints{}.set_max_threads_per_core(threads)), -1);
}

TEST_F(topology, may_be_asked_by_many_at_once) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([this] {
            for (int i = 0; i < 100; ++i) {
                EXPECT_EQ(tbb::info::numa_nodes(), nodes_);
                EXPECT_EQ(concurrency(on_node(nodes_.front())),
                          tbb::info::default_concurrency(nodes_.front()));
            }
        });
    for (std::thread& t : threads)
        t.join();
}

// oneTBB ends the process, or worse.
TEST(topology_death_test_unknown, constraints_that_cannot_be_met_are_not_used) {
    if (is_onetbb())
        GTEST_SKIP() << "oneTBB ends the process";
    const auto all = [] { return tbb::info::default_concurrency(); };
    in_new_process([&] { return concurrency(on_node(1000)) == all(); }, "numa_id is 1000");
    in_new_process([&] { return tbb::info::default_concurrency(-2) == all(); }, "numa_id is -2");
    in_new_process([&] { return concurrency(constraints{}.set_core_type(77)) == all(); }, "core_type is 77");
    in_new_process([&] { return concurrency(constraints{}.set_max_threads_per_core(0)) == all(); },
                   "max_threads_per_core is 0");
}

bool pin_to_one_cpu() {
    cpu_set_t mine, one;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        return false;
    CPU_ZERO(&one);
    for (unsigned i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &mine)) {
            CPU_SET(i, &one);
            break;
        }
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

TEST(topology_death_test_pinned, one_cpu_is_one_node_and_one_thread) {
    in_new_process([] {
        unsetenv("BOUGH_NUM_THREADS");
        unsetenv("TBB_NUM_THREADS");
        return pin_to_one_cpu() && tbb::info::numa_nodes().size() == 1 &&
               tbb::info::core_types().size() == 1 && tbb::info::default_concurrency() == 1 &&
               tbb::info::default_concurrency(tbb::info::numa_nodes().front()) == 1 &&
               concurrency(constraints{}.set_core_type(tbb::info::core_types().front())) == 1;
    });
}

TEST(topology_death_test_synthetic, two_nodes) {
    if (!has_cpus_0_and_1())
        GTEST_SKIP() << "needs exactly CPUs 0 and 1";
    in_new_process([] {
        setenv("HWLOC_SYNTHETIC", "numa:2 l3:1 core:1 pu:1", 1);
        const std::vector<int> nodes = tbb::info::numa_nodes();
        return nodes == std::vector<int>{0, 1} && tbb::info::default_concurrency(0) == 1 &&
               tbb::info::default_concurrency(1) == 1;
    });
}

TEST(topology_death_test_synthetic, two_threads_on_a_core) {
    if (!has_cpus_0_and_1())
        GTEST_SKIP() << "needs exactly CPUs 0 and 1";
    in_new_process([] {
        setenv("HWLOC_SYNTHETIC", "numa:1 core:1 pu:2", 1);
        const int node = tbb::info::numa_nodes().front();
        return concurrency(on_node(node)) == 2 &&
               concurrency(on_node(node).set_max_threads_per_core(1)) == 1 &&
               concurrency(on_node(node).set_max_threads_per_core(2)) == 2 &&
               concurrency(constraints{}.set_max_threads_per_core(1)) == 1;
    });
}

}  // namespace
