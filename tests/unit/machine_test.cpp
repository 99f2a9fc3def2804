// Clock, futex, limits and topology against this machine, made-up cgroup trees and broken hwloc answers.

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "machine/affinity.h"
#include "machine/clock.h"
#include "machine/futex.h"
#include "machine/identity.h"
#include "machine/limits.h"
#include "machine/tick_rate.h"
#include "machine/topology.h"

namespace {

namespace fs = std::filesystem;
namespace machine = bough::machine;

// ---- clock

// After wrong units. What is off by less is the rate's own: it is measured once, over 20 us or more.
TEST(clock, rate_agrees_with_steady_clock) {
    machine::clock();
    double best = 1;
    for (int i = 0; i < 5 && best > 0.001; ++i) {  // a preemption between the two reads spoils a try
        const auto steady = std::chrono::steady_clock::now();
        const machine::ticks first = machine::now_serialized();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const machine::ticks last = machine::now_serialized();
        const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - steady;
        best = std::min(best, std::abs(machine::to_ns(last - first) / passed.count() - 1));
    }
    EXPECT_LT(best, 0.01);
}

TEST(clock, never_goes_back_in_a_thread) {
    machine::clock();
    machine::ticks last = machine::now_serialized();
    for (int i = 0; i < 100'000; ++i) {
        const machine::ticks t = machine::now_serialized();
        ASSERT_GE(t, last);
        last = t;
    }
}

// 3 ticks per ns; loaded at 1 ms.
constexpr machine::stamp loaded{7'000, 1'000'000};
machine::stamp later(std::uint64_t ns) {
    return {loaded.counter + 3 * ns, loaded.steady + ns};
}

TEST(tick_rate, is_known_at_once_by_a_process_that_has_run_for_a_while) {
    EXPECT_EQ(machine::rate_is_known_at(loaded, later(60'000)), later(65'000).steady);
    EXPECT_EQ(machine::ticks_per_ns_since_load(loaded, later(60'000), later(65'000)), 3);
}

TEST(tick_rate, waits_in_a_process_that_was_just_loaded_or_did_not_look) {
    EXPECT_EQ(machine::rate_is_known_at(loaded, later(10'000)), later(20'000).steady);
    EXPECT_EQ(machine::rate_is_known_at({}, later(10'000)), later(30'000).steady);
    EXPECT_EQ(machine::ticks_per_ns_since_load({}, later(10'000), later(30'000)), 0);
}

TEST(tick_rate, is_not_believed_of_a_process_that_was_suspended) {
    // The counter went on for 1 s, the clock did not.
    constexpr std::uint64_t suspended = 3'000'000'000;
    machine::stamp recent = later(60'000), last = later(65'000);
    recent.counter += suspended;
    last.counter += suspended;
    EXPECT_EQ(machine::ticks_per_ns_since_load(loaded, recent, last), 0);
    EXPECT_EQ(machine::ticks_per_ns_between(recent, last), 3);
    // Set to 0 meanwhile.
    recent.counter = 5, last.counter = 5 + 3 * 5'000;
    EXPECT_EQ(machine::ticks_per_ns_since_load(loaded, recent, last), 0);
}

TEST(tick_rate, does_not_wait_for_a_clock_that_has_gone_back) {
    // Restored on a host that was started later.
    const machine::stamp now{loaded.counter, 10'000}, last{now.counter + 3 * 20'000, 30'000};
    EXPECT_EQ(machine::rate_is_known_at(loaded, now), last.steady);
    EXPECT_EQ(machine::ticks_per_ns_since_load(loaded, now, last), 0);
}

TEST(tick_rate, is_measured_anew_where_a_short_suspension_would_pass_the_check) {
    constexpr std::uint64_t old = 2'000'000'000;
    EXPECT_EQ(machine::rate_is_known_at(loaded, later(old)), later(old + 20'000).steady);
    EXPECT_EQ(machine::ticks_per_ns_since_load(loaded, later(old), later(old + 20'000)), 0);
}

TEST(clock, conversions_are_inverse) {
    EXPECT_NEAR(machine::to_ns(machine::from_ns(1e6)), 1e6, 1);
}

TEST(clock, says_why_it_falls_back) {
    const machine::clock_info& info = machine::clock();
    EXPECT_EQ(info.note.empty(), info.source != machine::clock_source::steady);
    EXPECT_EQ(machine::use_counter, info.source != machine::clock_source::steady);
}

TEST(clock, synchrony_check_compares_the_cpus_and_restores_affinity) {
    const auto cpus = machine::affinity_cpus();
    const machine::synchrony s = machine::check_synchronous(cpus, 200);
    EXPECT_GE(s.pairs, cpus.size() - 1);
    EXPECT_EQ(s.synchronous, s.backward_ns == 0);
    EXPECT_EQ(machine::affinity_cpus(), cpus);
    EXPECT_EQ(machine::check_synchronous({cpus[0]}, 10).pairs, 0U);
}

// Exits with 0 if the clock fell back to steady_clock, with ticks of 1 ns.
void exit_if_steady() {
    const bool steady = machine::clock().source == machine::clock_source::steady && !machine::use_counter;
    std::exit(steady && machine::clock().ticks_per_ns == 1 && !machine::clock().note.empty() ? 0 : 1);
}

TEST(clock_death_test, environment_forces_steady) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            setenv("BOUGH_CLOCK", "steady", 1);
            exit_if_steady();
        },
        testing::ExitedWithCode(0), "");
}

TEST(clock_death_test, a_distrusted_counter_is_not_read) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            machine::use_steady_clock("the test says so");
            exit_if_steady();
        },
        testing::ExitedWithCode(0), "");
}

// ---- futex

TEST(futex, wakes_a_sleeper) {
    std::atomic<std::uint32_t> word{0};
    std::thread sleeper([&] {
        while (word.load(std::memory_order_acquire) == 0)
            machine::futex_wait(word, 0);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    word.store(1, std::memory_order_release);
    machine::futex_wake(&word, 1);
    sleeper.join();
}

TEST(futex, another_value_returns_at_once_and_a_timeout_returns) {
    const std::atomic<std::uint32_t> word{7};
    machine::futex_wait(word, 8);
    const auto start = std::chrono::steady_clock::now();
    errno = 42;
    machine::futex_wait_for(word, 7, 3'000'000);
    EXPECT_EQ(errno, 42);
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(2));
}

// ---- limits

class cgroup_tree : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "bough_cgroup_XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
    }
    void TearDown() override { fs::remove_all(root_); }

    void write(const std::string& path, const std::string& text) {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text << '\n';
    }
    unsigned quota(const std::string& membership) {
        write("self", membership);
        return machine::cgroup_cpus((root_ / "self").string(), (root_ / "fs").string());
    }

    fs::path root_;
};

TEST_F(cgroup_tree, v2_rounds_up_and_takes_the_smallest_level) {
    write("fs/a/cpu.max", "800000 100000");
    write("fs/a/b/cpu.max", "150000 100000");
    write("fs/a/b/c/cpu.max", "max 100000");
    EXPECT_EQ(quota("0::/a/b/c"), 2U);
    EXPECT_EQ(quota("0::/a"), 8U);
    write("fs/cpu.max", "1000 100000");
    EXPECT_EQ(quota("0::/a/b/c"), 1U);
}

TEST_F(cgroup_tree, v1_with_its_own_folder_or_a_shared_one) {
    write("fs/cpu/x/cpu.cfs_quota_us", "250000");
    write("fs/cpu/x/cpu.cfs_period_us", "100000");
    EXPECT_EQ(quota("4:memory:/y\n3:cpu:/x\n1:name=systemd:/"), 3U);
    EXPECT_EQ(quota("3:cpu,cpuacct:/x/not-mounted-here"), 3U);
    write("fs/cpu,cpuacct/z/cpu.cfs_quota_us", "100001");
    write("fs/cpu,cpuacct/z/cpu.cfs_period_us", "100000");
    EXPECT_EQ(quota("3:cpu,cpuacct:/z"), 2U);
    EXPECT_EQ(quota("3:cpuacct:/x"), 0U);
}

TEST_F(cgroup_tree, hybrid_takes_the_smaller) {
    write("fs/unified/g/cpu.max", "500000 100000");
    write("fs/cpu/g/cpu.cfs_quota_us", "700000");
    write("fs/cpu/g/cpu.cfs_period_us", "100000");
    EXPECT_EQ(quota("1:cpu:/g\n0::/g"), 5U);
}

TEST_F(cgroup_tree, no_limit_and_damage_are_no_limit) {
    EXPECT_EQ(quota("0::/nowhere"), 0U);
    EXPECT_EQ(quota("garbage"), 0U);
    EXPECT_EQ(quota(""), 0U);
    for (const char* text : {"max", "", "-1 100000", "0 0", "100000 0", "x y", "99999999999999999999 1"}) {
        write("fs/a/cpu.max", text);
        EXPECT_EQ(quota("0::/a"), 0U) << text;
    }
    EXPECT_EQ(machine::cgroup_cpus("/nonexistent/cgroup", "/nonexistent"), 0U);
}

TEST_F(cgroup_tree, a_path_above_the_mounted_root_is_read_at_the_root) {
    write("fs/cpu.max", "200000 100000");
    EXPECT_EQ(quota("0::/../../other"), 2U);
}

TEST(limits, usable_cpus_is_within_the_affinity_mask) {
    const auto cpus = machine::affinity_cpus();
    ASSERT_FALSE(cpus.empty());
    EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
    EXPECT_GE(machine::usable_cpus(), 1U);
    EXPECT_LE(machine::usable_cpus(), cpus.size());
}

TEST(limits, follows_the_mask_of_the_calling_thread) {
    const unsigned one = machine::affinity_cpus().back();
    std::thread([one] {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(one, &set);
        ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
        EXPECT_EQ(machine::affinity_cpus(), std::vector<unsigned>{one});
        EXPECT_EQ(machine::usable_cpus(), 1U);
    }).join();
}

// ---- topology

// Nothing is known about the machine the tests run on but that every CPU is there once and numbers are dense.
void expect_consistent(const machine::topology& t) {
    std::set<unsigned> os, cores, caches, nodes, packages;
    for (const machine::cpu& c : t.cpus) {
        os.insert(c.os_index);
        cores.insert(c.core);
        caches.insert(c.cache);
        nodes.insert(c.node);
        packages.insert(c.package);
    }
    EXPECT_EQ(os.size(), t.cpus.size());
    EXPECT_EQ(*cores.rbegin() + 1, cores.size());
    EXPECT_EQ(*caches.rbegin() + 1, caches.size());
    EXPECT_EQ(*nodes.rbegin() + 1, nodes.size());
    EXPECT_EQ(*packages.rbegin() + 1, packages.size());
    EXPECT_GE(t.line_bytes, 16U);
    EXPECT_GE(t.l1_bytes, 4096U);
    EXPECT_GE(t.l2_bytes, t.l1_bytes);
}

// ---- affinity

// The system may move the thread back at any time: once in some tries will do.
TEST(affinity, leaving_a_cpu_keeps_the_mask) {
    const auto cpus = machine::affinity_cpus();
    bool left = false;
    for (int i = 0; i < 100 && !left; ++i) {
        const unsigned cpu = machine::current_cpu();
        machine::leave_cpu(cpu);
        left = machine::current_cpu() != cpu;
        EXPECT_EQ(machine::affinity_cpus(), cpus);
    }
    EXPECT_EQ(left, cpus.size() > 1);
    machine::leave_cpu(~0U);
    EXPECT_EQ(machine::affinity_cpus(), cpus);
}

TEST(topology, holds_the_cpus_of_the_affinity_mask) {
    const machine::topology& t = machine::machine_topology();
    expect_consistent(t);
    EXPECT_EQ(t.cpus.size(), machine::affinity_cpus().size());
}

TEST(topology, every_usable_cpu_has_its_place) {
    const machine::topology& t = machine::machine_topology();
    for (unsigned place = 0; place != t.cpus.size(); ++place) {
        EXPECT_EQ(t.place_of(t.cpus[place].os_index), place);
        const unsigned first = t.first_beside(place);
        ASSERT_LE(first, place);
        EXPECT_EQ(t.cpus[first].cache, t.cpus[place].cache);
        EXPECT_TRUE(first == 0 || t.cpus[first - 1].cache != t.cpus[place].cache);
    }
    EXPECT_EQ(t.place_of(~0U), machine::topology::nowhere);
    EXPECT_EQ(machine::distance_between(t, t.cpus[0].os_index, ~0U), machine::farthest);
    EXPECT_EQ(machine::uneven_topology(), t.is_uneven() ? &t : nullptr);
}

TEST(topology, distance_is_a_hierarchy) {
    const machine::cpu a{0, 0, 0, 0}, sibling{1, 0, 0, 0}, neighbour{2, 1, 0, 0}, other{3, 2, 1, 0},
        far{4, 3, 2, 1};
    EXPECT_EQ(machine::distance(a, sibling), 0U);
    EXPECT_EQ(machine::distance(a, neighbour), 1U);
    EXPECT_EQ(machine::distance(a, other), 2U);
    EXPECT_EQ(machine::distance(a, far), 3U);
    EXPECT_EQ(machine::distance(far, a), 3U);
}

TEST(topology_death_test, fake_cpus_are_flat) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            setenv("BOUGH_FAKE_CPUS", "100", 1);
            const machine::topology& t = machine::machine_topology();
            const bool flat = !t.from_hwloc && machine::distance(t.cpus[0], t.cpus[99]) == 1;
            std::exit(flat && t.cpus.size() == 100 && machine::cpu_count() == 100 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST(topology_death_test, unusable_fake_cpus_are_named) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            setenv("BOUGH_FAKE_CPUS", "4097", 1);
            const std::size_t real = machine::affinity_cpus().size();
            std::exit(machine::machine_topology().cpus.size() == real && machine::cpu_count() == real ? 0
                                                                                                      : 1);
        },
        testing::ExitedWithCode(0), "BOUGH_FAKE_CPUS=4097: allowed are 1 to 4096");
}

TEST(topology_death_test, unusable_fake_cpus_cannot_break_the_line) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            setenv("BOUGH_FAKE_CPUS", "a\nb\x1b[31m", 1);
            std::exit(machine::cpu_count() == machine::affinity_cpus().size() ? 0 : 1);
        },
        testing::ExitedWithCode(0), "bough: BOUGH_FAKE_CPUS=a\\?b\\?\\[31m: allowed");
}

TEST(topology_death_test, hwloc_that_lacks_an_allowed_cpu_gives_a_flat_machine) {
    if (machine::affinity_cpus().back() == 0)
        GTEST_SKIP() << "needs a usable CPU other than 0";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            setenv("HWLOC_SYNTHETIC", "pu:1", 1);
            const machine::topology& t = machine::machine_topology();
            std::exit(!t.from_hwloc && t.cpus.size() == machine::affinity_cpus().size() ? 0 : 1);
        },
        testing::ExitedWithCode(0), "bough: hwloc does not know CPU");
}

TEST(topology_death_test, nodes_caches_and_cores_are_told_apart) {
    if (machine::affinity_cpus() != std::vector<unsigned>{0, 1})
        GTEST_SKIP() << "needs exactly CPUs 0 and 1";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            setenv("HWLOC_SYNTHETIC", "numa:2 l3:1 l2:1 core:1 pu:1", 1);
            const machine::topology& t = machine::machine_topology();
            std::exit(t.from_hwloc && machine::distance(t.cpus[0], t.cpus[1]) == 3 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
    EXPECT_EXIT(
        {
            setenv("HWLOC_SYNTHETIC", "numa:1 l3:1 core:1 pu:2", 1);
            const machine::topology& t = machine::machine_topology();
            std::exit(t.from_hwloc && machine::distance(t.cpus[0], t.cpus[1]) == 0 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST(identity, is_one_short_line) {
    const std::string model = machine::cpu_model();
    EXPECT_FALSE(model.empty());
    EXPECT_LT(model.size(), 120U);
    EXPECT_EQ(model.find('\n'), std::string::npos);
    EXPECT_EQ(model, machine::cpu_model());
}

}  // namespace
