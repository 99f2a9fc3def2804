// The parts of `bough info` that no machine here shows: several packages, dates. The command itself: command_test.py.

#include <gtest/gtest.h>

#include "facts.h"
#include "machine_tree.h"

namespace {

using namespace bough;

// Two packages of two caches with two cores of two CPUs each; siblings are eight apart.
machine::topology large_machine() {
    machine::topology t{};
    for (unsigned core = 0; core < 8; ++core)
        for (const unsigned sibling : {0U, 8U})
            t.cpus.push_back({core + sibling, core, core / 2, core / 4, -1, core / 4});
    t.nodes = {{0, 10}, {1, 11}};
    t.l3_bytes = 32 << 20;
    t.cache_level = 3;
    t.from_hwloc = true;
    return t;
}

TEST(machine_tree, holds_every_cpu_below_its_core_cache_and_package) {
    const auto tree = info::tree_of(large_machine());
    ASSERT_EQ(tree.size(), 2U);
    for (unsigned package = 0; package < 2; ++package) {
        ASSERT_EQ(tree[package].caches.size(), 2U);
        for (unsigned cache = 0; cache < 2; ++cache) {
            const info::cache_branch& c = tree[package].caches[cache];
            EXPECT_EQ(c.id, 2 * package + cache);
            EXPECT_EQ(c.node, static_cast<int>(10 + package));
            ASSERT_EQ(c.cores.size(), 2U);
            const unsigned first = 4 * package + 2 * cache;
            EXPECT_EQ(c.cores[1].cpus, (std::vector<unsigned>{first + 1, first + 9}));
        }
    }
}

TEST(machine_tree, an_unknown_node_and_cache_are_called_so) {
    machine::topology t{};
    t.cpus = {{0, 0, 0, 0}};
    t.nodes = {{-1, 0}};
    EXPECT_EQ(info::tree_of(t)[0].caches[0].node, -1);
    EXPECT_EQ(info::cache_bytes(t), 0U);
}

TEST(machine_tree, lists_are_short) {
    EXPECT_EQ(info::list_of({}), "");
    EXPECT_EQ(info::list_of({3}), "3");
    EXPECT_EQ(info::list_of({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
}

TEST(info, age_is_since_the_calibration) {
    EXPECT_EQ(info::age_of("1970-01-02T00:00:10Z", 86'400 + 70), 60);
    EXPECT_EQ(info::age_of("yesterday", 0), std::nullopt);
    EXPECT_EQ(info::age_of("1970-01-02T00:00:10Z.", 0), std::nullopt);
}

TEST(info, text_names_every_part) {
    const machine::topology t = large_machine();
    info::facts f{};
    f.version = "1.2.3";
    f.onetbb.compat = {"/ours", "2023.2.0", "1.2.3", ""};
    f.onetbb.plain.problem = "no such\nfile";
    f.topology = &t;
    f.limit = {16, {0, 1, 8, 9}, 2, 2};
    f.profile = {"/profile", "loaded", "2026-01-02T03:04:05Z", 3 * 86'400.0, "", true, {500}};
    f.settings = {{"threads", "BOUGH_NUM_THREADS", "2", "", "default", "the usable CPUs"},
                  {"spin", "BOUGH_SPIN_US", "7", "us", "profile", ""}};
    const std::string text = info::text_of(f);
    for (const char* part : {"bough 1.2.3\n", "/ours (bough 1.2.3, as oneTBB 2023.2.0)\n",
                             "none: no such?file\n", "L3 2, 32 MiB, NUMA node 11\n", "core 7: CPU 7,15\n",
                             "affinity mask  4: 0-1,8-9\n", "cgroup quota   2, rounded up\n",
                             "threads        2 (the usable CPUs)\n", "3 days old", "spin        7 us"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

}  // namespace
