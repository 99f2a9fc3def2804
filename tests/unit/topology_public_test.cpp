// bough/topology.h: nodes, kinds of core and counts for constraints, on this machine and on made-up ones.

#include <gtest/gtest.h>

#include <bough/parallel_for.h>
#include <bough/topology.h>
#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "machine/limits.h"
#include "machine/topology.h"
#include "unit/new_process.h"

namespace {

using bough::cpu_constraint;
using bough::usable_cpus;
using bough_test::in_new_process;
using bough_test::may_use_cpus_0_and_1;

std::size_t cpus_on(int node) {
    return usable_cpus({node, {}, cpu_constraint::any});
}

std::size_t cpus_of(std::vector<int> kinds) {
    return usable_cpus({cpu_constraint::any, std::move(kinds), cpu_constraint::any});
}

std::size_t cpus_with(int threads_per_core) {
    return usable_cpus({cpu_constraint::any, {}, threads_per_core});
}

TEST(topology_public, nodes_and_kinds_hold_every_cpu_once) {
    const std::size_t all = bough::machine::machine_topology().cpus.size();
    std::size_t on_nodes = 0, of_kinds = 0;
    int last = -2;
    for (const bough::numa_node& n : bough::numa_nodes()) {
        EXPECT_LT(last, n.id);
        EXPECT_GE(n.cpus, 1u);
        last = n.id;
        on_nodes += n.cpus;
    }
    last = -2;
    for (const bough::core_kind& k : bough::core_kinds()) {
        EXPECT_LT(last, k.id);
        EXPECT_GE(k.cpus, 1u);
        last = k.id;
        of_kinds += k.cpus;
    }
    EXPECT_EQ(on_nodes, all);
    EXPECT_EQ(of_kinds, all);
}

TEST(topology_public, no_constraint_counts_what_the_process_may_use) {
    EXPECT_EQ(usable_cpus(), bough::machine::usable_cpus());
    EXPECT_EQ(cpus_of({cpu_constraint::any}), usable_cpus());
    EXPECT_EQ(cpus_with(1 << 30), usable_cpus());
    EXPECT_GE(cpus_with(1), 1u);
    EXPECT_GE(bough::default_concurrency(), 1u);
}

TEST(topology_public, what_is_not_there_counts_nothing) {
    EXPECT_EQ(cpus_on(1000), 0u);
    EXPECT_EQ(cpus_on(-2), 0u);
    EXPECT_EQ(cpus_of({1000}), 0u);
    EXPECT_EQ(cpus_of({-2, 77}), 0u);
    EXPECT_EQ(cpus_with(0), 0u);
    EXPECT_EQ(cpus_with(-5), 0u);
}

TEST(topology_public_death_test, made_up_cpus_have_no_nodes_and_kinds) {
    in_new_process([] {
        setenv("BOUGH_FAKE_CPUS", "3", 1);
        const auto& nodes = bough::numa_nodes();
        const auto& kinds = bough::core_kinds();
        return nodes.size() == 1 && nodes[0].id == -1 && nodes[0].cpus == 3 && kinds.size() == 1 &&
               kinds[0].id == -1 && kinds[0].cpus == 3 && cpus_on(-1) == usable_cpus() && cpus_on(0) == 0 &&
               cpus_of({0}) == 0;
    });
}

TEST(topology_public_death_test, nodes_have_logical_and_os_numbers) {
    if (!may_use_cpus_0_and_1())
        GTEST_SKIP() << "needs exactly CPUs 0 and 1";
    in_new_process([] {
        setenv("HWLOC_SYNTHETIC", "numa:2(indexes=7,5) core:1 pu:1", 1);
        const auto& nodes = bough::numa_nodes();
        return nodes.size() == 2 && nodes[0].id == 0 && nodes[0].os_index == 7 && nodes[1].id == 1 &&
               nodes[1].os_index == 5 && cpus_on(0) == 1 && cpus_on(1) == 1 && cpus_on(5) == 0;
    });
}

TEST(topology_public_death_test, threads_of_a_core_are_told_apart) {
    if (!may_use_cpus_0_and_1())
        GTEST_SKIP() << "needs exactly CPUs 0 and 1";
    in_new_process([] {
        setenv("HWLOC_SYNTHETIC", "numa:1 core:1 pu:2", 1);
        return cpus_with(1) == 1 && cpus_with(2) == 2 && usable_cpus() == 2 && usable_cpus({0, {}, 1}) == 1;
    });
}

// Writes a machine of two cores of different kinds, CPU 1 the slower one, for HWLOC_XMLFILE.
bool write_hybrid(const std::string& path) {
    hwloc_topology_t t = nullptr;
    if (hwloc_topology_init(&t) != 0 || hwloc_topology_set_synthetic(t, "numa:1 core:2 pu:1") != 0 ||
        hwloc_topology_load(t) != 0)
        return false;
    bool good = true;
    for (const unsigned cpu : {0U, 1U}) {
        hwloc_bitmap_t set = hwloc_bitmap_alloc();
        hwloc_bitmap_set(set, cpu);
        good = hwloc_cpukinds_register(t, set, cpu == 0 ? 10 : 1, 0, nullptr, 0) == 0 && good;
        hwloc_bitmap_free(set);
    }
    good = hwloc_topology_export_xml(t, path.c_str(), 0) == 0 && good;
    hwloc_topology_destroy(t);
    return good;
}

TEST(topology_public_death_test, kinds_go_from_slow_to_fast) {
    if (!may_use_cpus_0_and_1())
        GTEST_SKIP() << "needs exactly CPUs 0 and 1";
    in_new_process([] {
        const std::string path = testing::TempDir() + "bough_hybrid_" + std::to_string(getpid()) + ".xml";
        if (!write_hybrid(path))
            return false;
        setenv("HWLOC_XMLFILE", path.c_str(), 1);
        const auto& kinds = bough::core_kinds();
        std::remove(path.c_str());
        const auto& cpus = bough::machine::machine_topology().cpus;
        const bool slow_is_cpu_1 = cpus[1].os_index == 1 && cpus[1].kind == 0 && cpus[0].kind == 1;
        return kinds.size() == 2 && kinds[0].id == 0 && kinds[1].id == 1 && slow_is_cpu_1 &&
               cpus_of({0}) == 1 && cpus_of({1}) == 1 && cpus_of({0, 1}) == 2 && cpus_of({0, 5}) == 1 &&
               usable_cpus({0, {1}, 1}) == 1;
    });
}

TEST(topology_public_death_test, one_cpu_is_all_there_is) {
    in_new_process([] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(bough::machine::affinity_cpus().back(), &one);
        return sched_setaffinity(0, sizeof one, &one) == 0 && bough::numa_nodes().size() == 1 &&
               bough::numa_nodes()[0].cpus == 1 && bough::core_kinds().size() == 1 && usable_cpus() == 1 &&
               cpus_on(bough::numa_nodes()[0].id) == 1;
    });
}

// The topology is read late; a thread that has bound itself by then does not hide the other CPUs.
TEST(topology_public_death_test, what_the_first_loop_found_holds) {
    in_new_process([] {
        const auto all = bough::machine::affinity_cpus();
        bough::parallel_for(0, 10, [](int) {});
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(all.back(), &one);
        return sched_setaffinity(0, sizeof one, &one) == 0 && usable_cpus() == all.size();
    });
}

TEST(topology_public_death_test, a_first_question_from_many_threads) {
    in_new_process([] {
        std::vector<std::thread> threads;
        std::vector<std::size_t> answers(4);
        for (std::size_t t = 0; t < answers.size(); ++t)
            threads.emplace_back([&answers, t] { answers[t] = bough::numa_nodes()[0].cpus + cpus_with(1); });
        for (std::thread& t : threads)
            t.join();
        return answers == std::vector<std::size_t>(4, answers[0]);
    });
}

}  // namespace
